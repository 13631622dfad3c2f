(import '../lib/jain_wallace_2019_pairs.libsonnet')['snli_average_tanh']
