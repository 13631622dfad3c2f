// Jain & Wallace (2019), their classification grid with one more ingredient swapped at a time.
//
// The search for adversaries, which takes long, is made apart where training differs: jain_wallace_2019_search.
local grid = import 'jain_wallace_2019.jsonnet';
local without_search = { analyses: grid.base.analyses[:2] };
grid {
  choices: {
    setting: {
      "GloVe's vectors": without_search { vectors: 'vectors/glove.6B.100d.txt.gz', 'model.embedding_width': 100 },
      'the last epoch is kept': without_search { 'trainer.first_kept_epoch': 8 },
      'unknown words start from a draw': { 'vectors.unknown': 'random' },
    },
  },
}
