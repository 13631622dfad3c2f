// Neely & Schouten (2020): the model whose number differs, with other vectors, to see why.
local whole = import 'neely_schouten_2020.jsonnet';
local of(key, name) = { [key]: { [name]: whole.cells[key][name] } };
whole {
  cells: of('data', 'sst') + of('attention', 'sdp') + of('projection', 'sparsemax'),
  choices: {
    setting: {
      "GloVe's vectors": { vectors: 'vectors/glove.6B.100d.txt.gz', 'model.embedding_width': 100 },
      'unknown words start from a draw': { 'vectors.unknown': 'random' },
    },
  },
}
