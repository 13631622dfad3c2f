// Madsen et al. (2022) on texts with a question: SNLI, whose premise is masked, and bAbI, whose story is.
//
// Models and training are Jain & Wallace's for two texts. As released: scores at the gold label, accuracy.
local published = import '../lib/jain_wallace_2019.libsonnet';
local snli = (import '../lib/snli.libsonnet') + published.pairs;
local babi(task, size) = {
  data: { type: 'babi', task: task, size: size },
  vectors: null,
  'model.embedding_width': 50,
  'model.encoder.hidden': 32,
  'trainer.epochs': 100,
  'trainer.batch_size': 50,
};
{
  study: 'roar',
  base: snli { importance: [], analyses: [] },
  cells: {
    data: {
      babi_1: babi(1, 'en-10k'),
      babi_2: babi(2, 'en-10k'),
      snli: { data: { type: 'snli' } },
    },
  },
  measures: (import '../lib/madsen_2022.libsonnet').released,
  masking: ['recursive'],
  seeds: [0, 1, 2],
}
