// Wiegreffe & Pinter (2019), Table 3 on IMDB, all as in wiegreffe_pinter_2019_guides but for the adversary's epochs.
//
// An epoch of IMDB takes minutes where there is no GPU: the adversary has 8 of its 80, there are two seeds, and no controls.
local settings = import '../lib/wiegreffe_pinter_2019_studies.libsonnet';
local whole = import 'wiegreffe_pinter_2019_guides.jsonnet';
whole {
  cells: { data: { imdb: settings.data.imdb } },
  adversary+: { epochs: 8 },
  guides: ['own', 'base', 'adversary'],
  seeds: [0, 1],
}
