// Meister et al. (2021), App. A: influence on a state's dimensions in place of its length, on SST.
local settings = import '../lib/meister_2021.libsonnet';
local base = settings.sst.lstm;
local trained(encoder) = {
  'model.encoder': settings.sst[encoder].model.encoder,
  'model.attention.type': settings.sst[encoder].model.attention.type,
  'trainer.learning_rate': settings.sst[encoder].trainer.learning_rate,
  'trainer.epochs': settings.sst[encoder].trainer.epochs,
};
{
  study: 'sweep',
  base: base { vectors: { path: base.vectors, length: 5.2 }, importance: ['attention'] },
  cells: {
    model: { [encoder]: trained(encoder) for encoder in ['lstm', 'transformer'] },
    'model.attention.projection': ['softmax', 'sparsemax'],
  },
  choices: {
    setting: {
      'influence on its length': { analyses: ['dispersion'] },
      'influence on its dimensions': { analyses: [{ type: 'dispersion', on: 'dimensions' }] },
    },
  },
  seeds: [0],
}
