// Wiegreffe & Pinter (2019), Figure 5 on IMDB, all as in wiegreffe_pinter_2019_frontier but for fewer λ.
//
// A free adversary takes minutes here: the λ that Table 4 prints for IMDB, and a large one.
local settings = import '../lib/wiegreffe_pinter_2019_studies.libsonnet';
(import 'wiegreffe_pinter_2019_frontier.jsonnet') {
  cells: { data: { imdb: settings.data.imdb } },
  weights: settings.twice([8e-4, 1e-2]),
}
