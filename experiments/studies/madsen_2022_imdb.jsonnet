// Madsen et al. (2022) on IMDB, whose texts are long: three measures, five shares, three seeds.
local settings = import '../lib/madsen_2022.libsonnet';
{
  study: 'roar',
  base: settings.base { data: 'imdb' },
  measures: ['attention', 'gradient', 'input_x_gradient'],
  steps: 5,
  seeds: [0, 1, 2],
}
