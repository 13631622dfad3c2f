// Pruthi et al. (2020) on SST+Wiki, the swaps of pruthi_2020_swaps for the BiLSTM, whose numbers differ there, too.
local whole = import 'pruthi_2020.jsonnet';
local swaps = (import 'pruthi_2020_swaps.jsonnet').choices.setting;
whole {
  cells: {
    task: { 'sst-wiki': whole.cells.task['sst-wiki'] },
    encoder: { lstm: whole.cells.encoder.lstm },
  },
  choices: { setting: { [name]: swaps[name] for name in ['the last epoch is kept', 'steps ten times as long'] } },
  weights: [0, 0.1],
}
