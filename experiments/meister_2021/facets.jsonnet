// Influence on a state's facets in place of its length: does that change how dispersed it is?
local sweep = import '../lib/meister_2021_sweep.libsonnet';
[
  sweep[name] {
    name: name + '_facets',
    seeds: [0],
    importance: ['attention'],
    analyses: [{ type: 'dispersion', on: 'facets' }],
  }
  for name in ['sst_%s_%s' % [encoder, projection] for encoder in ['lstm', 'transformer'] for projection in ['softmax', 'sparsemax']]
]
