// Madsen et al. (2022) on bAbI 2, as studies/madsen_2022_babi: their measures alone, three seeds.
local tasks = import '../lib/babi.libsonnet';
local of_babi_1 = import 'madsen_2022_babi.jsonnet';
of_babi_1 {
  base+: { data: tasks.babi_2.data },
  measures: (import '../lib/madsen_2022.libsonnet').released,
  seeds: [0, 1, 2],
}
