// Jain & Wallace (2019), their models with two texts, as published.
local published = import '../lib/jain_wallace_2019.libsonnet';
local babi(task, size) = {
  data: { type: 'babi', task: task, size: size },
  vectors: null,
  'model.embedding_width': 50,
  'model.encoder.hidden': 32,
  'trainer.epochs': 100,
  'trainer.batch_size': 50,
};
local snli = (import '../lib/snli.libsonnet') + published.pairs;
{
  study: 'sweep',
  base: snli {
    // The published models start from GloVe's 300-d vectors. These are word2vec's, as long as in the other study.
    vectors: { path: snli.vectors, length: 5.2 },
    analyses: [
      { type: 'agreement', statistics: ['kendall_tau'] },
      'permutation',
      { type: 'adversarial', epsilon: 0.01, as_released: true },
      // Of bAbI: whether attention rests on the supporting facts.
      'truth',
    ],
  },
  cells: {
    data: {
      snli: { data: { type: 'snli' } },
      babi_1: babi(1, 'en-10k'),
      babi_2: babi(2, 'en-10k'),
      babi_3: babi(3, 'en'),
    },
    encoder: { [name]: { 'model.encoder.type': name } for name in ['lstm', 'cnn', 'average'] },
    attention: { [name]: { 'model.attention.type': name } for name in ['tanh', 'sdp'] },
  },
  seeds: [0, 1, 2],
}
