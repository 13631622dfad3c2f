// Wiegreffe & Pinter (2019) as studies over their datasets: the same base and the same adversaries as in
// wiegreffe_pinter_2019.libsonnet, from which all settings come.
local settings = import 'wiegreffe_pinter_2019.libsonnet';
local base = settings.base('sst');
local adversary = settings.adversary('sst').trainer;
{
  base: base { vectors: { path: base.vectors, length: 5.2 }, importance: [] },
  data: { [name]: { data: name } for name in settings.datasets },
  // All as published but for that: the epoch that is best on the very texts that are reported.
  selection: {
    'as published': { 'trainer.selected_on': 'dev' },
    'epochs kept by test texts, as they did': { 'trainer.selected_on': 'test' },
  },
  training: { [key]: adversary[key] for key in ['epochs', 'patience', 'metric', 'class_weights', 'weight_decay'] },
  // They halve TVD: λ as they print it.
  twice(weights): [2 * weight for weight in weights],
}
