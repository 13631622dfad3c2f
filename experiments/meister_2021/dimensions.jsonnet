// Influence on a state's dimensions in place of its length: does that change how dispersed it is?
local sweep = import '../lib/meister_2021_sweep.libsonnet';
[
  sweep[name] {
    name: name + '_dimensions',
    seeds: [0],
    importance: ['attention'],
    analyses: [{ type: 'dispersion', on: 'dimensions' }],
  }
  for name in ['sst_%s_%s' % [encoder, projection] for encoder in ['lstm', 'transformer'] for projection in ['softmax', 'sparsemax']]
]
