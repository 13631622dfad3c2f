// Pruthi et al. (2020), Table 3: attention that is trained off impermissible words, in batches of 32.
local settings = import '../lib/pruthi_2020.libsonnet';
[
  settings.deceptive(task, encoder, weight)
  for task in settings.tasks
  for encoder in settings.encoders
  for weight in settings.weights
]
