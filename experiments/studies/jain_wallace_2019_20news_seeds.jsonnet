// Jain & Wallace (2019) on 20News with five more seeds: between three and three a swap has to be large to be told from chance.
local grid = import 'jain_wallace_2019.jsonnet';
grid {
  cells+: { data: { '20news': grid.cells.data['20news'] } },
  choices: {
    setting: grid.choices.setting {
      "GloVe's vectors": { vectors: 'vectors/glove.6B.100d.txt.gz', 'model.embedding_width': 100 },
    },
  },
  seeds: [3, 4, 5, 6, 7],
}
