// Models and training as Jain & Wallace (2019) have them: everything else is attex's default.
{
  model: {
    embedding_width: 300,
    encoder: { type: 'lstm', hidden: 128 },
    attention: { type: 'tanh', projection: 'softmax' },
    decoder: 'linear',
  },
  trainer: { epochs: 8, batch_size: 32, metric: 'roc_auc' },
  // The papers start from fastText's 300-d English vectors; any file of that width will do.
  vectors: 'vectors/word2vec.300d.vec.gz',
  seeds: [0, 1, 2],
  importance: ['attention', 'gradient', 'leave_one_out'],
  analyses: [{ type: 'agreement', statistics: ['kendall_tau'] }],
}
