// The eight experiments with every setting of Neely & Schouten's released code.
local published = import '../lib/neely_schouten_2020.libsonnet';
local datasets = {
  sst: (import '../lib/sst.libsonnet') + published.sst,
  imdb: (import '../lib/imdb.libsonnet') + published.imdb,
};
local attend(attention, projection) = {
  model+: {
    attention: {
      type: attention,
      projection: if projection == 'softmax' then 'softmax_over_padding' else projection,
    },
  },
};
[
  datasets[data] + attend(attention, projection) + {
    name: '%s_%s_%s_published' % [data, attention, projection],
  }
  for data in ['sst', 'imdb']
  for attention in ['tanh', 'sdp']
  for projection in ['softmax', 'sparsemax']
]
