// Wiegreffe & Pinter (2019), Figure 3: how far attention moves with the seed alone.
//
// They hold one seed against eight others. Here each of nine has its turn.
local settings = import '../lib/wiegreffe_pinter_2019_studies.libsonnet';
{
  study: 'seeds',
  base: settings.base,
  cells: { data: settings.data },
  seeds: [0, 1, 2, 3, 4, 5, 6, 7, 8],
}
