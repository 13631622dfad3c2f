// Neely et al. (2022): BiLSTMs with five projections, attention beside five attribution methods, all pairs.
//
// Reviews are long and LIME runs through each a thousand times: 150 of them are compared, where they took 500.
local paper = import '../lib/neely_2022.libsonnet';
local one = paper.lstm;
local two = paper.pair;
{
  study: 'sweep',
  // Vectors are word2vec's, as long as fastText's are.
  base: one { data: paper.data.sst, analyses: paper.analyses, vectors: { path: one.vectors, length: 5.2 } },
  cells: {
    data: {
      sst: { data: paper.data.sst },
      imdb: { data: paper.data.imdb { test_limit: 150 } },
      snli: {
        data: paper.data.snli,
        'model.query': two.model.query,
        'model.decoder': two.model.decoder,
        'trainer.metric': two.trainer.metric,
      },
    },
    projection: { [name]: { 'model.attention.projection': paper.projections[name] } for name in std.objectFields(paper.projections) },
  },
  seeds: [0, 1, 2],
}
