// Neely et al. (2022): BiLSTMs with five projections, attention beside five attribution methods, all pairs.
local paper = import '../lib/neely_2022.libsonnet';
local one = paper.lstm;
local two = paper.pair;
{
  study: 'sweep',
  // Vectors are word2vec's, as long as fastText's are, and of length 1.
  base: one { data: paper.data.sst, vectors: { path: one.vectors, length: 5.2 } },
  cells: {
    data: {
      sst: { data: paper.data.sst },
      imdb: { data: paper.data.imdb },
      snli: {
        data: paper.data.snli,
        'model.query': two.model.query,
        'model.decoder': two.model.decoder,
        'trainer.metric': two.trainer.metric,
      },
    },
    projection: { [name]: { 'model.attention.projection': paper.projections[name] } for name in std.objectFields(paper.projections) },
  },
  choices: {
    setting: {
      'as published': { 'vectors.length': 5.2 },
      'vectors of length 1': { 'vectors.length': 1 },
    },
  },
  seeds: [0, 1, 2],
}
