// The classification grid of Jain & Wallace (2019) by name: {lstm, cnn, average} × {tanh, sdp} × datasets, with
// every analysis of the paper and of its released code.
local published = import 'jain_wallace_2019.libsonnet';
local datasets = {
  sst: import 'sst.libsonnet',
  imdb: import 'imdb.libsonnet',
  '20news': import '20news.libsonnet',
  ag_news: import 'ag_news.libsonnet',
};
{
  ['%s_%s_%s' % [data, encoder, attention]]: datasets[data] + published + {
    name: '%s_%s_%s' % [data, encoder, attention],
    model+: {
      encoder: { type: encoder, hidden: 128 },
      attention: { type: attention, projection: 'softmax' },
    },
    analyses: [
      { type: 'agreement', statistics: ['kendall_tau'] },
      'permutation',
      'adversarial',
      'erasure',
      'log_odds',
    ],
  }
  for data in std.objectFields(datasets)
  for encoder in ['lstm', 'cnn', 'average']
  for attention in ['tanh', 'sdp']
}
