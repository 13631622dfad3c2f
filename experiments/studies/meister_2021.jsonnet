// Meister et al. (2021), Tables 1, 2, 3 and 6: from softmax to the sparsest projection.
//
// The paper gives neither its grid of λ nor its epochs; what was chosen is in lib/meister_2021.libsonnet. Vectors have
// the length that fastText's have, about 5.2, and length 1 beside it.
local settings = import '../lib/meister_2021.libsonnet';
local sweep = import '../lib/meister_2021_sweep.libsonnet';
local base = settings.sst.lstm;
local encoders = {
  lstm: { 'model.encoder.type': 'lstm', 'model.attention.type': 'tanh' },
  transformer: { 'model.encoder.type': 'transformer', 'model.attention.type': 'sdp' },
};
local trained(data, encoder) = {
  data: data,
  'trainer.learning_rate': settings[data][encoder].trainer.learning_rate,
  'trainer.epochs': settings[data][encoder].trainer.epochs,
  'trainer.patience': settings[data][encoder].trainer.patience,
} + encoders[encoder];
local projections(names) = {
  [name]: { 'model.attention.projection': sweep['sst_lstm_' + name].model.attention.projection }
  for name in names
};
local all = ['softmax', 'sparsemax', 'sparsegen_-30', 'sparsegen_-10', 'sparsegen_-3', 'sparsegen_-1', 'sparsegen_0.5', 'sparsegen_0.9'];
// IMDB's are the slowest by far.
local few = ['softmax', 'sparsemax', 'sparsegen_-10', 'sparsegen_0.9'];
local group(data, names) = {
  model: { ['%s_%s' % [data, encoder]]: trained(data, encoder) for encoder in ['lstm', 'transformer'] },
  projection: projections(names),
};
{
  study: 'sweep',
  base: base {
    vectors: { path: base.vectors, length: 5.2 },
    importance: sweep.sst_lstm_softmax.importance,
    analyses: ['dispersion', 'contextualisation', 'faithfulness'],
  },
  cells: [group('sst', all), group('20news', all), group('imdb', few)],
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'vectors of length 1': { 'vectors.length': 1 },
      'attention learns ten times as fast': { 'trainer.attention_rate_factor': 10 },
    },
  },
  seeds: [0, 1, 2],
}
