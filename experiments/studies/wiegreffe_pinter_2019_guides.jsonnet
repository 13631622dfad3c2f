// Wiegreffe & Pinter (2019), Table 3: an MLP under the weights of others; ours are the cross-fit and the mean of each word.
local settings = import '../lib/wiegreffe_pinter_2019.libsonnet';
local base = settings.base('sst');
// The adversary of Table 3 has λ = 0.001, which is 0.002 where TVD is not halved.
local adversary = settings.adversary('sst', lambda=1e-3).trainer;
{
  study: 'guides',
  base: base,
  cells: {
    data: { [data]: { data: settings.base(data).data, trainer: settings.base(data).trainer } for data in settings.datasets },
  },
  adversary: { [key]: adversary[key] for key in std.objectFields(adversary) if key != 'base' && key != 'type' },
  quantity: 'f1_macro',
  seeds: [0, 1, 2],
}
