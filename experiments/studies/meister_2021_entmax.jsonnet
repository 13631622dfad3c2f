// A second way from softmax to sparsemax, which Meister et al. (2021) do not take: α-entmax, and a learned α.
local settings = import '../lib/meister_2021.libsonnet';
local sweep = import '../lib/meister_2021_sweep.libsonnet';
local base = settings.sst.lstm;
local trained(data, encoder) = {
  data: data,
  'model.encoder': settings[data][encoder].model.encoder,
  'model.attention.type': settings[data][encoder].model.attention.type,
  'trainer.learning_rate': settings[data][encoder].trainer.learning_rate,
  'trainer.epochs': settings[data][encoder].trainer.epochs,
  'trainer.patience': settings[data][encoder].trainer.patience,
};
local names = ['entmax_1.25', 'entmax_1.5', 'entmax_1.75', 'learned_entmax'];
{
  study: 'sweep',
  base: base {
    vectors: { path: base.vectors, length: 5.2 },
    importance: sweep.sst_lstm_softmax.importance,
    analyses: ['dispersion', 'contextualisation', 'faithfulness'],
  },
  cells: {
    model: {
      ['%s_%s' % [data, encoder]]: trained(data, encoder)
      for data in ['sst', '20news']
      for encoder in ['lstm', 'transformer']
    },
    projection: {
      [name]: { 'model.attention.projection': sweep['sst_lstm_' + name].model.attention.projection }
      for name in names
    },
  },
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'vectors of length 1': { 'vectors.length': 1 },
    },
  },
  seeds: [0, 1, 2],
}
