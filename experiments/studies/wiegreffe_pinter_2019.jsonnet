// Wiegreffe & Pinter (2019), Tables 2 and 3: does the model need its attention, and do the words alone suffice?
//
// They train as Jain & Wallace do. The second encoder maps each word by itself, as their MLP does.
local base = (import '../lib/sst.libsonnet') + (import '../lib/jain_wallace_2019.libsonnet');
local of(key, names) = { [name]: { [key]: name } for name in names };
{
  study: 'sweep',
  base: base {
    vectors: { path: base.vectors, length: 5.2 },
    importance: ['attention'],
    analyses: [],
  },
  cells: {
    data: of('data', ['sst', '20news', 'ag_news', 'imdb']),
    encoder: of('model.encoder.type', ['lstm', 'average']),
    projection: of('model.attention.projection', ['softmax', 'uniform']),
  },
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'vectors of length 1': { 'vectors.length': 1 },
      'unknown words start from a draw': { 'vectors.unknown': 'random' },
      "GloVe's vectors": { vectors: 'vectors/glove.6B.100d.txt.gz', 'model.embedding_width': 100 },
    },
  },
  seeds: [0, 1, 2],
}
