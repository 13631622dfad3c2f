// Pruthi et al. (2020), Table 3: what batches of 32 change. Their code trains on one text at a time.
local whole = import 'pruthi_2020.jsonnet';
whole {
  cells+: { task: { [task]: whole.cells.task[task] for task in ['pronoun', 'sst-wiki'] } },
  choices: {
    setting: {
      'as published': { 'trainer.batch_size': 32 },
      'one text at a time, as they did': { 'trainer.batch_size': 1 },
    },
  },
  seeds: [0, 1],
}
