// Neely et al. (2022): the BiLSTMs whose numbers are published, with one ingredient swapped at a time.
//
// By their code DeepLIFT-SHAP starts from padding alone and has DeepLIFT's scores. The published τ of the two is 0.58 to
// 0.87, which padding alone does not give. Captum's LIME takes 50 samples unless told otherwise.
local whole = import 'neely_2022.jsonnet';
local with(type, other) = [if m == type || (std.isObject(m) && m.type == type) then other else m for m in whole.base.importance];
whole {
  cells+: { projection: { softmax: whole.cells.projection.softmax } },
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'vectors of length 1': { 'vectors.length': 1 },
      'DeepLIFT-SHAP from drawn words': { importance: with('deep_lift_shap', 'deep_lift_shap') },
      'LIME from 50 samples': { importance: with('lime', { type: 'lime', samples: 50 }) },
    },
  },
}
