(import '../lib/jain_wallace_2019_grid.libsonnet')['20news_lstm_tanh']
