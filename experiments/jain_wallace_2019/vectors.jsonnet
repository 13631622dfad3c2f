// How much τ depends on the word vectors that a model starts from: the grid once more, from GloVe's in place of
// word2vec's. The published models started from fastText's.
local grid = import '../lib/jain_wallace_2019_grid.libsonnet';
[
  grid[name] {
    name: name + '_glove',
    vectors: 'vectors/glove.6B.100d.txt.gz',
    model+: { embedding_width: 100 },
    analyses: [{ type: 'agreement', statistics: ['kendall_tau'] }],
  }
  for name in std.objectFields(grid)
]
