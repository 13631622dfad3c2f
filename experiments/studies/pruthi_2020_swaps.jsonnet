// Pruthi et al. (2020), Table 3: why numbers differ, with one ingredient swapped at a time.
//
// In minutes a model on a CPU, and so without the BiLSTM; pruthi_2020_one_at_a_time takes hours there.
// Their code keeps no model: it remembers the accuracy of the epoch that is best on dev, and prints the attention of every
// epoch. In batches of 32 Adam takes a 32nd of its steps, so that steps ten times as long come nearer to where it got.
local whole = import 'pruthi_2020.jsonnet';
whole {
  cells+: { encoder: { embedding: whole.cells.encoder.embedding } },
  choices: {
    setting: {
      'as published': { 'trainer.batch_size': 32 },
      'the last epoch is kept': { 'trainer.first_kept_epoch': 15 },
      'steps ten times as long': { 'trainer.learning_rate': 0.01 },
    },
  },
  seeds: [0, 1],
}
