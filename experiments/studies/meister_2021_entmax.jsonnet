// A second way from softmax to sparsemax, which Meister et al. (2021) do not take: α-entmax, and a learned α.
local of = import '../lib/meister_2021_cells.libsonnet';
{
  study: 'sweep',
  base: of.base,
  cells: {
    model: of.models(['sst', '20news']),
    projection: of.projections(['entmax_1.25', 'entmax_1.5', 'entmax_1.75', 'learned_entmax']),
  },
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'vectors of length 1': { 'vectors.length': 1 },
    },
  },
  seeds: [0, 1, 2],
}
