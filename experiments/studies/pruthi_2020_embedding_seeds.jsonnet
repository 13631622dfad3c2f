// Pruthi et al. (2020) with five more seeds, where five could not tell whether models are better than those without the words.
//
// Of one word at a time at λ = 1, on two tasks: pruthi_2020_without_seeds has the models that never see an impermissible word.
local whole = import 'pruthi_2020.jsonnet';
whole {
  cells: {
    task: { [name]: whole.cells.task[name] for name in ['occupation', 'sst-wiki'] },
    encoder: { embedding: whole.cells.encoder.embedding },
  },
  weights: [0, 1],
  seeds: [5, 6, 7, 8, 9],
}
