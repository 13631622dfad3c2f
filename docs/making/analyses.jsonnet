// The run that the figures of docs/analyses come from: the demo's models, and everything asked of them.
(import '../../experiments/demo.jsonnet') {
  name: 'analyses',
  importance: ['attention', 'gradient', 'leave_one_out', 'gradient_norm', 'gradient_norm[hidden]'],
  analyses: [
    'truth',
    'permutation',
    'adversarial',
    'erasure',
    'log_odds',
    'dispersion',
    'contextualisation',
    'faithfulness',
    { type: 'agreement', statistics: ['kendall_tau'] },
  ],
}
