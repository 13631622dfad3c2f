// Madsen et al. (2022): SST and 20News, trained again without what each measure finds important, scores at the decision.
local settings = import '../lib/madsen_2022.libsonnet';
{
  study: 'roar',
  base: settings.base,
  cells: { data: ['sst', '20news'] },
  measures: settings.measures,
  seeds: [0, 1, 2, 3, 4],
}
