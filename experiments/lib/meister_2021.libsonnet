// Meister et al. (2021), from the paper alone (there is no code): settings.sst.lstm, …
//
// Given: all widths 128; Adam with AMSGrad, batch 32, decay 1e-5 except on attention; learning rate
// 1e-4 (BiLSTM) or 1e-5 (Transformer), attention's the same or ten times that. Left open, and chosen
// here: the epochs (ended by some without a better dev ROC-AUC; 20News has 36 batches in one, IMDB
// 538), which of the two attention rates (the same), where the Transformer normalises (before each
// step), the form of its positions (sinusoids), and the projection of its inner self-attention
// (softmax).
local datasets = {
  sst: import 'sst.libsonnet',
  imdb: import 'imdb.libsonnet',
  '20news': import '20news.libsonnet',
};
local encoders = {
  lstm: {
    model+: { encoder: { type: 'lstm', hidden: 128 }, attention+: { type: 'tanh' } },
    trainer+: { learning_rate: 1e-4 },
  },
  transformer: {
    model+: { encoder: { type: 'transformer', hidden: 128 }, attention+: { type: 'sdp' } },
    trainer+: { learning_rate: 1e-5 },
  },
};
local epochs = {
  sst: { lstm: { epochs: 60, patience: 10 }, transformer: { epochs: 100, patience: 10 } },
  imdb: { lstm: { epochs: 15, patience: 3 }, transformer: { epochs: 40, patience: 3 } },
  '20news': { lstm: { epochs: 100, patience: 20 }, transformer: { epochs: 200, patience: 40 } },
};
{
  [data]: {
    [encoder]: datasets[data] + encoders[encoder] + {
      trainer+: { batch_size: 32, weight_decay: 1e-5, amsgrad: true, attention_rate_factor: 1 }
                + epochs[data][encoder],
    }
    for encoder in std.objectFields(encoders)
  }
  for data in std.objectFields(datasets)
}
