// How much τ depends on which epoch's model is kept: the published choice is the best on dev, the first excepted.
local grid = import '../lib/jain_wallace_2019_grid.libsonnet';
[
  grid[name] {
    name: '%s_epoch_%d' % [name, epoch],
    trainer+: { epochs: epoch, first_kept_epoch: epoch },
    analyses: [{ type: 'agreement', statistics: ['kendall_tau'] }],
  }
  for name in ['sst_lstm_tanh', 'imdb_lstm_tanh']
  for epoch in [1, 2, 4, 8]
]
