// Pruthi et al. (2020), Table 3, one text at a time as their code trains: what batches change.
local settings = import '../lib/pruthi_2020.libsonnet';
[
  settings.deceptive(task, encoder, weight, batch_size=1) { name+: '_one_at_a_time' }
  for task in settings.tasks
  for encoder in settings.encoders
  for weight in settings.weights
]
