// Wiegreffe & Pinter (2019), Table 4: models that decide as the base does and attend elsewhere, at the printed λ.
//
// Each with epochs kept by dev texts and, as published, by the test texts; and with the base's states held.
local settings = import '../lib/wiegreffe_pinter_2019.libsonnet';
[
  settings.adversary(data, selected_on) { name: '%s_kept_by_%s' % [data, selected_on] }
  for data in settings.datasets
  for selected_on in ['dev', 'test']
] + [
  settings.adversary(data) { name: '%s_frozen' % data, trainer+: { frozen: true } }
  for data in settings.datasets
]
