// The embedded default: generated texts of which it is known which words decide the label.
{
  data: { type: 'planted', task: 'negation' },
  model: {
    embedding_width: 64,
    encoder: { type: 'lstm', hidden: 64 },
    attention: { type: 'tanh', projection: 'softmax' },
  },
  trainer: { epochs: 10 },
  seeds: [0, 1, 2],
  importance: ['attention', 'gradient', 'leave_one_out'],
  analyses: ['truth', { type: 'agreement', statistics: ['kendall_tau'] }],
}
