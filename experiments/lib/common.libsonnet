// What the dataset files build on: models and training as the papers describe them, every measure
// of the first comparison. The papers' own settings, with the oddities of their code, are mixins
// (jain_wallace_2019, neely_schouten_2020) or, where they differ by dataset, ready-made (meister_2021).
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
