// The run that the figure of docs/analyses/impermissible.md comes from: the demo's model, trained to hide what decides.
local demo = import '../../experiments/demo.jsonnet';
demo {
  name: 'deceptive',
  data+: { hide_truth: true },
  trainer+: { type: 'deceptive', weight: 1 },
  importance: ['attention'],
  analyses: ['impermissible'],
}
