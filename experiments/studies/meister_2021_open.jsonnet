// Meister et al. (2021), Tables 1 and 6: two more ingredients that the paper leaves open, one swapped at a time. On SST.
//
// How long was trained: 60 epochs of a BiLSTM and 100 of a Transformer, and the last is kept, where meister_2021 stops early and
// keeps the best one on dev. And what words without a vector start from.
local of = import '../lib/meister_2021_cells.libsonnet';
local models = of.models(['sst']);
{
  study: 'sweep',
  base: of.base { analyses: ['dispersion', 'contextualisation'] },
  cells: {
    model: {
      [name]: models[name] { 'trainer.first_kept_epoch': models[name]['trainer.epochs'] }
      for name in std.objectFields(models)
    },
    projection: of.projections(['softmax', 'sparsemax']),
  },
  choices: {
    setting: {
      'the last epoch is kept': { 'trainer.patience': null },
      'unknown words start from a draw': { 'trainer.first_kept_epoch': 1, 'vectors.unknown': 'random' },
    },
  },
  seeds: [0, 1, 2],
}
