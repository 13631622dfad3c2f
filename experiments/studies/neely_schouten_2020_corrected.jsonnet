// Neely & Schouten (2020), Tables 1 and 2, without the faults of the released code.
//
// Texts as Jain & Wallace cut them, a softmax that sees the mask, the gradient of the output with attention held
// fixed, every word counted. Otherwise the shipped experiments, with vectors of two lengths.
local compared = (import '../lib/neely_schouten_2020.libsonnet').compared;
local base = (import '../sst_tanh_softmax.jsonnet');
local of(key, names) = { [name]: { [key]: name } for name in names };
{
  study: 'sweep',
  base: base { vectors: { path: base.vectors, length: 5.2 } },
  cells: {
    data: { [data]: { data: data, analyses: compared[data].analyses } for data in ['sst', 'imdb'] },
    attention: of('model.attention.type', ['tanh', 'sdp']),
    projection: of('model.attention.projection', ['softmax', 'sparsemax']),
  },
  choices: {
    setting: {
      'released faults mended': { 'vectors.length': 5.2 },
      'released faults mended, vectors of length 1': { 'vectors.length': 1 },
    },
  },
  seeds: [0, 1, 2],
}
