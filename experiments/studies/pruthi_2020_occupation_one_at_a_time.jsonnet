// Pruthi et al. (2020), occupation, one text at a time as their code trains: the one row whose accuracy falls here and not there.
//
// Dev and test are dealt out anew, as in pruthi_2020. Five minutes a model on a processor's core.
local whole = import 'pruthi_2020.jsonnet';
local one_at_a_time = import 'pruthi_2020_one_at_a_time.jsonnet';
one_at_a_time {
  cells: {
    task: { occupation: whole.cells.task.occupation },
    encoder: { embedding: whole.cells.encoder.embedding },
  },
  weights: [0, 1],
  seeds: [0, 1, 2],
}
