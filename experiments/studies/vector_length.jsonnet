// Which length must the vectors have for Jain & Wallace's numbers on 20News to come out?
//
// There τ of the model without context and with dot-product attention moves away from the published one as the vectors
// get longer. Words without a vector start from 0 in their code; from a draw of the same length beside it.
local base = (import '../lib/20news.libsonnet') + (import '../lib/jain_wallace_2019.libsonnet');
{
  study: 'sweep',
  base: base {
    vectors: { path: base.vectors, length: 5.2 },
    model+: { encoder+: { type: 'average' }, attention+: { type: 'sdp' } },
    analyses: [{ type: 'agreement', statistics: ['kendall_tau'] }],
  },
  choices: {
    'vectors.length': [0.5, 1, 1.5, 2, 3, 4, 5.2],
    'vectors.unknown': ['zero', 'random'],
  },
  seeds: [0, 1, 2],
}
