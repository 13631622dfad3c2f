// Wiegreffe & Pinter (2019), Table 3: does another model's attention help an MLP that sees each word by itself?
//
// Theirs: uniform weights, the MLP's own, the base LSTM's, and an adversary's (their λ = 0.001). Two controls beside
// them: the weights of an LSTM that was not trained on the text, and each word's mean weight, without its context.
local settings = import '../lib/wiegreffe_pinter_2019.libsonnet';
local guides(data) = {
  uniform: settings.mlp(data) { model+: { attention+: { projection: 'uniform' } } },
  own: settings.mlp(data),
  base: settings.guided(data, settings.base(data)),
  adversary: settings.guided(data, settings.adversary(data, lambda=1e-3)),
  cross_fit: settings.guided(data, settings.base(data), options={ cross_fit: true }),
  word_mean: settings.guided(data, settings.base(data), options={ weights: 'word' }),
};
[
  guides(data)[guide] { name: '%s_guided_by_%s' % [data, guide] }
  for data in settings.datasets
  for guide in std.objectFields(guides(data))
]
