// Pruthi et al. (2020), models that never see an impermissible word, one text at a time as their code trains.
//
// Of the one task whose number differs and has no cause; minutes a model on a processor's core.
local swaps = import 'pruthi_2020_without_swaps.jsonnet';
swaps {
  cells+: { task: { pronoun: swaps.cells.task.pronoun } },
  choices: {
    setting: {
      'as published': { 'trainer.batch_size': 32 },
      'one text at a time, as they did': { 'trainer.batch_size': 1 },
    },
  },
}
