// Pruthi et al. (2020), models that never see an impermissible word, with five more seeds: beside pruthi_2020_embedding_seeds.
local without = import 'pruthi_2020_without.jsonnet';
without {
  cells: {
    task: { [name]: without.cells.task[name] for name in ['occupation', 'sst-wiki'] },
    encoder: { embedding: without.cells.encoder.embedding },
  },
  seeds: [5, 6, 7, 8, 9],
}
