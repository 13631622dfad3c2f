// Neely et al. (2022): the BiLSTMs whose numbers are published, with one ingredient swapped at a time.
//
// By their code DeepLIFT-SHAP starts from padding alone and has DeepLIFT's scores. The published τ of the two is 0.58 to
// 0.87, which padding alone does not give. Captum's LIME takes 50 samples unless told otherwise, and its DeepLIFT takes
// plain gradients through an LSTM and through attention.
local whole = import 'neely_2022.jsonnet';
local with(type, other, measures=whole.base.importance) =
  [if m == type || (std.isObject(m) && m.type == type) then other else m for m in measures];
whole {
  cells+: { projection: { softmax: whole.cells.projection.softmax } },
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'vectors of length 1': { 'vectors.length': 1 },
      'DeepLIFT-SHAP from drawn words': { importance: with('deep_lift_shap', 'deep_lift_shap') },
      'DeepLIFT by plain gradients': {
        importance: with(
          'deep_lift',
          { type: 'deep_lift', slopes: 'own' },
          with('deep_lift_shap', { type: 'deep_lift_shap', background: 'padding', slopes: 'own' }),
        ),
      },
      'LIME from 50 samples': { importance: with('lime', { type: 'lime', samples: 50 }) },
    },
  },
}
