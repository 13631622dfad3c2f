(import '../lib/jain_wallace_2019_pairs.libsonnet')['babi_3_average_tanh']
