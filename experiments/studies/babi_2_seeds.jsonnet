// Does a training on bAbI 2 find the facts that answer? Five seeds of the published model: some do, some do not.
local pairs = import 'jain_wallace_2019_pairs.jsonnet';
pairs {
  cells: {
    data: { babi_2: pairs.cells.data.babi_2 },
    encoder: { lstm: pairs.cells.encoder.lstm },
    attention: { tanh: pairs.cells.attention.tanh },
  },
  seeds: [0, 1, 2, 3, 4],
}
