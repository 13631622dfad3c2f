// Jain & Wallace (2019), their classification grid: as published, and with the vectors as long as they come.
//
// They start from fastText's "simple" vectors, whose length is about 5.2; here it is word2vec's at that length. The
// search for adversaries has the constants of the released code. Other swaps: jain_wallace_2019_grid_swaps.
local base = (import '../lib/sst.libsonnet') + (import '../lib/jain_wallace_2019.libsonnet');
local of(key, names) = { [name]: { [key]: name } for name in names };
{
  study: 'sweep',
  base: base {
    vectors: { path: base.vectors, length: 5.2 },
    analyses: [{ type: 'agreement', statistics: ['kendall_tau'] }, 'permutation', { type: 'adversarial', epsilon: 0.01, as_released: true }],
  },
  cells: {
    data: of('data', ['sst', '20news', 'ag_news', 'imdb']),
    encoder: of('model.encoder.type', ['lstm', 'cnn', 'average']),
    attention: of('model.attention.type', ['tanh', 'sdp']),
  },
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'vectors of length 1': { 'vectors.length': 1 },
    },
  },
  seeds: [0, 1, 2],
}
