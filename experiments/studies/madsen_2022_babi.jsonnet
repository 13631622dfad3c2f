// Madsen et al. (2022) on bAbI 1, whose story is masked. As released: scores at the gold label, accuracy.
//
// Leave-one-out is a measure more, and its scores are taken at the model's own decision.
// Models and training are Jain & Wallace's for two texts, for 40 epochs in the place of 100.
local tasks = import '../lib/babi.libsonnet';
local published = import '../lib/jain_wallace_2019.libsonnet';
{
  study: 'roar',
  base: tasks.babi_1 + published.babi { trainer+: { epochs: 40 }, importance: [], analyses: [] },
  measures: (import '../lib/madsen_2022.libsonnet').released + ['leave_one_out'],
  masking: ['recursive'],
  seeds: [0, 1, 2, 3, 4],
}
