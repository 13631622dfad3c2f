// A multiverse that two cores train in minutes: what do the demo's numbers depend on?
{
  study: 'multiverse',
  base: import '../demo.jsonnet',
  choices: {
    'trainer.learning_rate': [0.001, 0.003],
    'model.encoder.hidden': [32, 64],
  },
  seeds: [0, 1],
}
