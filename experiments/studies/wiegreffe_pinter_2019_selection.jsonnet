// Wiegreffe & Pinter (2019), Tables 2 and 3 with epochs kept by dev and by test texts: what does their selection add to a number?
//
// Their code may also keep the first epoch, which Jain & Wallace's never does. The two datasets that train in minutes on
// a CPU. All selections have the same seeds, which no other table has.
local selection = (import '../lib/wiegreffe_pinter_2019_studies.libsonnet').selection;
local whole = import 'wiegreffe_pinter_2019.jsonnet';
local by_test = 'epochs kept by test texts, as they did';
whole {
  cells+: { data: { [name]: whole.cells.data[name] for name in ['20news', 'sst'] } },
  choices: { setting: selection { [by_test + ', the first among them']: selection[by_test] { 'trainer.first_kept_epoch': 1 } } },
  seeds: [3, 4, 5],
}
