// Pruthi et al. (2020), models that never see an impermissible word, with one ingredient swapped at a time.
local without = import 'pruthi_2020_without.jsonnet';
local swaps = (import 'pruthi_2020_swaps.jsonnet').choices.setting;
without {
  cells: {
    task: { [name]: without.cells.task[name] for name in ['pronoun', 'sst-wiki'] },
    encoder: { embedding: without.cells.encoder.embedding },
  },
  choices: { setting: { [name]: swaps[name] for name in ['the last epoch is kept', 'steps ten times as long'] } },
}
