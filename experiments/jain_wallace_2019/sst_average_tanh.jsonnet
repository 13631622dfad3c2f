(import '../lib/jain_wallace_2019_grid.libsonnet')['sst_average_tanh']
