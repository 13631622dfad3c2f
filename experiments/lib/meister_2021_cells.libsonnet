// The models of Meister et al. (2021) as cells of a study: what each sets in the base, and how it is measured.
local settings = import 'meister_2021.libsonnet';
local sweep = import 'meister_2021_sweep.libsonnet';
local start = settings.sst.lstm;
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
{
  // Vectors have the length that fastText's have, about 5.2.
  base: start {
    vectors: { path: start.vectors, length: 5.2 },
    importance: sweep.sst_lstm_softmax.importance,
    analyses: sweep.sst_lstm_softmax.analyses,
  },
  models(datasets, encoders=['lstm', 'transformer']): {
    ['%s_%s' % [data, encoder]]: trained(data, encoder)
    for data in datasets
    for encoder in encoders
  },
  projections(names): {
    [name]: { 'model.attention.projection': sweep['sst_lstm_' + name].model.attention.projection }
    for name in names
  },
}
