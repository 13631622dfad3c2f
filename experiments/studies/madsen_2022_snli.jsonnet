// Madsen et al. (2022) on SNLI, whose premise is masked. As released: scores at the gold label, accuracy.
//
// Leave-one-out is a measure more, and its scores are taken at the model's own decision.
// Models and training are Jain & Wallace's for two texts, but for `patience`: of the training texts at hand the best epoch
// is an early one, and what follows it is not trained.
local published = import '../lib/jain_wallace_2019.libsonnet';
{
  study: 'roar',
  base: (import '../lib/snli.libsonnet') + published.pairs { trainer+: { patience: 3 }, importance: [], analyses: [] },
  measures: (import '../lib/madsen_2022.libsonnet').released + ['leave_one_out'],
  masking: ['recursive'],
  seeds: [0, 1, 2, 3, 4],
}
