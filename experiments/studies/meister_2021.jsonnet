// Meister et al. (2021), Tables 1, 2, 3 and 6: from softmax to the sparsest projection.
//
// The paper gives neither its grid of λ nor its epochs; what was chosen is in lib/meister_2021.libsonnet. Vectors have
// the length that fastText's have, about 5.2, and length 1 beside it. What else may say why numbers differ is swapped in
// meister_2021_swaps and meister_2021_transformer.
local of = import '../lib/meister_2021_cells.libsonnet';
local all = ['softmax', 'sparsemax', 'sparsegen_-30', 'sparsegen_-10', 'sparsegen_-3', 'sparsegen_-1', 'sparsegen_0.5', 'sparsegen_0.9'];
// IMDB's are the slowest by far.
local few = ['softmax', 'sparsemax', 'sparsegen_-10', 'sparsegen_0.9'];
local group(data, names) = { model: of.models([data]), projection: of.projections(names) };
{
  study: 'sweep',
  base: of.base,
  cells: [group('sst', all), group('20news', all), group('imdb', few)],
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'vectors of length 1': { 'vectors.length': 1 },
    },
  },
  seeds: [0, 1, 2],
}
