// Madsen et al. (2022): SST, trained again without what each measure finds important, scores at the decision.
//
// Plain masking, by the model of whole texts. Recursive: madsen_2022_recursive.
local settings = import '../lib/madsen_2022.libsonnet';
{
  study: 'roar',
  base: settings.base { data: 'sst' },
  measures: settings.measures,
  masking: ['plain'],
  seeds: [0, 1, 2, 3, 4],
}
