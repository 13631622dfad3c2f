// Jain & Wallace (2019) on SNLI: what do its numbers depend on beside the size of the training set?
(import 'jain_wallace_2019_pairs.jsonnet') {
  cells+: { data: { snli: { data: { type: 'snli' } } } },
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'vectors of length 1': { 'vectors.length': 1 },
      "GloVe's vectors": { vectors: 'vectors/glove.6B.100d.txt.gz', 'model.embedding_width': 100 },
      'the last epoch is kept': { 'trainer.first_kept_epoch': 25 },
    },
  },
}
