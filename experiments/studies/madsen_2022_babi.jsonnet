// Madsen et al. (2022) on bAbI, whose story is masked. As released: scores at the gold label, accuracy.
//
// Models and training are Jain & Wallace's for two texts, for 40 epochs in the place of 100.
local tasks = import '../lib/babi.libsonnet';
local published = import '../lib/jain_wallace_2019.libsonnet';
{
  study: 'roar',
  base: tasks.babi_1 + published.babi { trainer+: { epochs: 40 }, importance: [], analyses: [] },
  cells: { data: { [name]: { data: tasks[name].data } for name in ['babi_1', 'babi_2'] } },
  measures: (import '../lib/madsen_2022.libsonnet').released,
  masking: ['recursive'],
  seeds: [0, 1, 2],
}
