(import '../lib/jain_wallace_2019_grid.libsonnet')['ag_news_average_tanh']
