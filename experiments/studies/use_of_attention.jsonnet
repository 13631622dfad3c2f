// Does a model need its attention, and could it have had another? A point for every dataset and kind of model.
//
// The plot that Neely & Schouten (2020, §7) ask for. Trained as Jain & Wallace do; adversaries of three λ, from one that
// hardly counts to one that does, for at most 20 epochs.
local base = (import '../lib/sst.libsonnet') + (import '../lib/jain_wallace_2019.libsonnet');
local of(key, names) = { [name]: { [key]: name } for name in names };
{
  study: 'use_of_attention',
  base: base {
    vectors: { path: base.vectors, length: 5.2 },
    importance: [],
    analyses: [],
  },
  cells: {
    data: of('data', ['sst', '20news', 'ag_news', 'imdb']),
    encoder: of('model.encoder.type', ['lstm', 'cnn', 'average']),
    projection: of('model.attention.projection', ['softmax', 'sparsemax']),
  },
  weights: [0.01, 0.1, 1],
  training: { epochs: 20, patience: 5 },
  seeds: [0, 1, 2],
}
