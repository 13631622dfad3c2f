// Wiegreffe & Pinter (2019), Tables 2 and 3 with epochs kept by dev and by test texts: what does their selection add to a number?
//
// The two datasets that train in minutes on a CPU. Both selections have the same seeds, which no other table has.
local selection = (import '../lib/wiegreffe_pinter_2019_studies.libsonnet').selection;
local whole = import 'wiegreffe_pinter_2019.jsonnet';
whole {
  cells+: { data: { [name]: whole.cells.data[name] for name in ['20news', 'sst'] } },
  choices: { setting: selection },
  seeds: [3, 4, 5],
}
