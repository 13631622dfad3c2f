// Jain & Wallace (2019) on SNLI: what do its numbers depend on?
//
// The training set at hand is a part of the published one. Still smaller parts say what that costs.
(import 'jain_wallace_2019_pairs.jsonnet') {
  cells+: { data: { snli: { data: { type: 'snli' } } } },
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'half of the training texts': { 'data.train_share': 0.5 },
      'an eighth of the training texts': { 'data.train_share': 0.125 },
      'vectors of length 1': { 'vectors.length': 1 },
      'the last epoch is kept': { 'trainer.first_kept_epoch': 25 },
      "GloVe's vectors": { vectors: 'vectors/glove.6B.100d.txt.gz', 'model.embedding_width': 100 },
    },
  },
}
