// Meister et al. (2021), Tables 1, 3 and 6 with one ingredient swapped, to see why numbers differ.
//
// Attention's learning rate is "the same or ten times" in the paper: here ten times. Their vectors are fastText's: here
// GloVe's, 100 wide, as long as they come, in place of word2vec's.
local of = import '../lib/meister_2021_cells.libsonnet';
{
  study: 'sweep',
  base: of.base { analyses: ['dispersion', 'contextualisation'] },
  cells: { model: of.models(['sst', '20news']), projection: of.projections(['softmax', 'sparsemax']) },
  choices: {
    setting: {
      'attention learns ten times as fast': { 'trainer.attention_rate_factor': 10 },
      "GloVe's vectors": { vectors: 'vectors/glove.6B.100d.txt.gz', 'model.embedding_width': 100 },
    },
  },
  seeds: [0, 1, 2],
}
