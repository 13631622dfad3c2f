// Pruthi et al. (2020) on SST+Wiki with three more seeds, where a swap comes nearer and two could not tell it from chance.
local swaps = import 'pruthi_2020_swaps.jsonnet';
swaps {
  cells+: { task: { 'sst-wiki': swaps.cells.task['sst-wiki'] } },
  choices: { setting: { [name]: swaps.choices.setting[name] for name in ['the last epoch is kept', 'steps ten times as long'] } },
  seeds: [2, 3, 4],
}
