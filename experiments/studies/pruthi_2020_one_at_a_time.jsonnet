// Pruthi et al. (2020), Table 3: what batches of 32 change. Their code trains on one text at a time.
//
// One text at a time a model takes seven to twenty minutes of a processor's core, and on a GPU it is no faster: one task, two weights.
local whole = import 'pruthi_2020.jsonnet';
whole {
  cells+: { task: { 'sst-wiki': whole.cells.task['sst-wiki'] } },
  choices: {
    setting: {
      'as published': { 'trainer.batch_size': 32 },
      'one text at a time, as they did': { 'trainer.batch_size': 1 },
    },
  },
  weights: [0, 0.1],
  seeds: [0, 1],
}
