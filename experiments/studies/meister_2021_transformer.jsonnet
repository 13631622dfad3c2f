// Meister et al. (2021), Tables 1, 3 and 6: what only a Transformer can have otherwise, to see why numbers differ.
//
// Where it normalises is not said: here after each step, as PyTorch's own layer does unless told. And the influence on
// a state is taken on its dimensions in place of its length (App. A); that is a reading of the model that is as published.
local of = import '../lib/meister_2021_cells.libsonnet';
{
  study: 'sweep',
  base: of.base { analyses: ['dispersion', 'contextualisation'] },
  cells: { model: of.models(['sst', '20news'], ['transformer']), projection: of.projections(['softmax', 'sparsemax']) },
  choices: {
    setting: {
      'LayerNorm after each step': { 'model.encoder.normalised': 'after' },
      'influence on its dimensions': { importance: ['attention'], analyses: [{ type: 'dispersion', on: 'dimensions' }] },
    },
  },
  seeds: [0, 1, 2],
}
