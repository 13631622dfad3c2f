// Meister et al. (2021), from the paper alone (there is no code): (import 'sst.libsonnet') + this.lstm.
//
// Given: all widths 128; Adam with AMSGrad, batch 32, decay 1e-5 except on attention; learning rate
// 1e-4 (BiLSTM) or 1e-5 (Transformer), attention's the same or ten times that. Left open, and chosen
// here: the epochs (up to 60 and 100, ended by ten without a better dev ROC-AUC), which of the two
// attention rates (the same), where the Transformer normalises (before each step), the form of its
// positions (sinusoids), and the projection of its inner self-attention (softmax).
local common = {
  trainer+: {
    batch_size: 32,
    weight_decay: 1e-5,
    amsgrad: true,
    patience: 10,
    attention_rate_factor: 1,
  },
};
{
  lstm: common {
    model+: { encoder: { type: 'lstm', hidden: 128 }, attention+: { type: 'tanh' } },
    trainer+: { learning_rate: 1e-4, epochs: 60 },
  },
  transformer: common {
    model+: { encoder: { type: 'transformer', hidden: 128 }, attention+: { type: 'sdp' } },
    trainer+: { learning_rate: 1e-5, epochs: 100 },
  },
}
