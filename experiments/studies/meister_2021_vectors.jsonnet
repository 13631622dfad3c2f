// Meister et al. (2021), Tables 1, 3 and 6 on SST from other vectors: GloVe's, as long as they are, 100 wide.
local settings = import '../lib/meister_2021.libsonnet';
local sweep = import '../lib/meister_2021_sweep.libsonnet';
local base = settings.sst.lstm;
local trained(encoder) = {
  'model.encoder': settings.sst[encoder].model.encoder,
  'model.attention.type': settings.sst[encoder].model.attention.type,
  'trainer.learning_rate': settings.sst[encoder].trainer.learning_rate,
  'trainer.epochs': settings.sst[encoder].trainer.epochs,
};
local glove = { vectors: 'vectors/glove.6B.100d.txt.gz', 'model.embedding_width': 100 };
{
  study: 'sweep',
  base: base {
    importance: sweep.sst_lstm_softmax.importance,
    analyses: ['dispersion', 'contextualisation', 'faithfulness'],
  },
  cells: {
    model: { [encoder]: trained(encoder) for encoder in ['lstm', 'transformer'] },
    'model.attention.projection': ['softmax', 'sparsemax'],
  },
  choices: {
    setting: {
      "GloVe's vectors": glove,
      "GloVe's vectors, attention learns ten times as fast": glove { 'trainer.attention_rate_factor': 10 },
    },
  },
  seeds: [0, 1, 2],
}
