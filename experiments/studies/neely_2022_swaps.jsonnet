// Neely et al. (2022): the BiLSTMs whose numbers are published, with one ingredient swapped at a time.
//
// By their code DeepLIFT-SHAP starts from padding alone and has DeepLIFT's scores. The published τ of the two is 0.58 to
// 0.87, and so their baselines were others.
local whole = import 'neely_2022.jsonnet';
whole {
  cells+: { projection: { softmax: whole.cells.projection.softmax } },
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'vectors of length 1': { 'vectors.length': 1 },
      'DeepLIFT-SHAP from drawn words': {
        importance: [if std.isObject(m) && m.type == 'deep_lift_shap' then 'deep_lift_shap' else m for m in whole.base.importance],
      },
    },
  },
}
