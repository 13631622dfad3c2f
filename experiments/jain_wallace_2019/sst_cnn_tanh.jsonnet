(import '../lib/jain_wallace_2019_grid.libsonnet')['sst_cnn_tanh']
