// Neely & Schouten (2020), Tables 1 and 2: as their released code computes, and with one ingredient swapped at a time.
//
// They start from fastText's vectors, whose length is about 5.2; here it is word2vec's at that length.
local published = import '../lib/neely_schouten_2020.libsonnet';
local base = (import '../lib/sst.libsonnet') + published.sst;
local keys(data) = { data: published[data].data, analyses: published[data].analyses };
local projections = {
  softmax: { 'model.attention.projection': 'softmax_over_padding' },
  sparsemax: { 'model.attention.projection': 'sparsemax' },
};
{
  study: 'sweep',
  base: base { vectors: { path: base.vectors, length: 5.2 } },
  cells: {
    data: { [data]: keys(data) for data in ['sst', 'imdb'] },
    attention: { [name]: { 'model.attention.type': name } for name in ['tanh', 'sdp'] },
    projection: projections,
  },
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'vectors of length 1': { 'vectors.length': 1 },
      'classes weighted': { 'trainer.class_weights': true },
    },
  },
  seeds: [0, 1, 2],
}
