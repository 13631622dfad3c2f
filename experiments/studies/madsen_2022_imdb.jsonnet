// Madsen et al. (2022) as released on IMDB, whose texts are long: three measures, five shares, three seeds.
local settings = import '../lib/madsen_2022.libsonnet';
{
  study: 'roar',
  base: settings.base { data: 'imdb' },
  measures: settings.released,
  quantity: 'f1_macro',
  steps: 5,
  seeds: [0, 1, 2],
}
