// The run that the figures of docs/analyses come from: the demo's models, and everything asked of them.
(import '../../experiments/demo.jsonnet') {
  name: 'analyses',
  // For departure: every model beside those of the other seeds.
  trainer+: { beside: { seeds: [0, 1, 2] } },
  importance: ['attention', 'gradient', 'leave_one_out', 'gradient_norm', 'gradient_norm[hidden]'],
  analyses: [
    'truth',
    'permutation',
    'adversarial',
    'departure',
    'erasure',
    'log_odds',
    'dispersion',
    'contextualisation',
    'faithfulness',
    { type: 'agreement', statistics: ['kendall_tau'] },
  ],
}
