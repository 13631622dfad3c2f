// Meister et al. (2021), Table 5 (App. C.1): frozen and free adversaries, of softmax and of sparsemax.
//
// The paper gives no λ; its JSD are near the largest there is, so that λ are large here. JSD is what all adversaries make
// large: KL is infinite where attention is sparse.
local settings = import '../lib/meister_2021.libsonnet';
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
{
  study: 'frontier',
  base: base {
    vectors: { path: base.vectors, length: 5.2 },
    importance: [],
    analyses: [],
  },
  cells: {
    model: {
      ['%s_%s' % [data, encoder]]: trained(data, encoder)
      for data in ['sst', '20news', 'imdb']
      for encoder in ['lstm', 'transformer']
    },
    'model.attention.projection': ['softmax', 'sparsemax'],
  },
  weights: [0.01, 0.1, 1],
  search: false,
  seeds: [0, 1, 2],
}
