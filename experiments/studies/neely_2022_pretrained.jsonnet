// Neely et al. (2022): MiniLM, its softmax replaced by each of five projections in all layers before it is tuned.
//
// To be made in minutes on one GPU: a few hundred test texts, fewer where they are long, tuned on a quarter of the reviews.
// LIME has at least two samples for each word of the longest text, and twelve or more on short ones.
local paper = import '../lib/neely_2022.libsonnet';
local base = paper.pretrained;
local lime(samples) = [if m == 'lime' then { type: 'lime', samples: samples } else m for m in base.importance];
{
  study: 'sweep',
  base: base { data: paper.data.sst, analyses: paper.analyses },
  cells: {
    data: {
      sst: { data: paper.data.sst { test_limit: 250 }, importance: lime(300), 'trainer.epochs': 4 },
      imdb: {
        data: paper.data.imdb { test_limit: 50, train_share: 0.25 },
        importance: lime(500),
        'trainer.epochs': 2,
      },
      snli: { data: paper.data.snli { test_limit: 250 }, importance: lime(300), 'trainer.epochs': 2 },
    },
    projection: { [name]: { 'model.projection': paper.projections[name] } for name in std.objectFields(paper.projections) },
  },
  seeds: [0, 1, 2],
}
