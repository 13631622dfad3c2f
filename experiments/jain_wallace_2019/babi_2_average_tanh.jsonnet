(import '../lib/jain_wallace_2019_pairs.libsonnet')['babi_2_average_tanh']
