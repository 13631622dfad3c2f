// Meister et al. (2021), Table 5 (App. C.1): frozen and free adversaries, of softmax and of sparsemax.
//
// The paper gives no λ; its JSD are near the largest there is, so that λ are large here. JSD is what all adversaries make
// large: KL is infinite where attention is sparse.
local of = import '../lib/meister_2021_cells.libsonnet';
{
  study: 'frontier',
  base: of.base { importance: [], analyses: [] },
  cells: {
    model: of.models(['sst', '20news', 'imdb']),
    'model.attention.projection': ['softmax', 'sparsemax'],
  },
  weights: [0.01, 0.1, 1],
  search: false,
  seeds: [0, 1, 2],
}
