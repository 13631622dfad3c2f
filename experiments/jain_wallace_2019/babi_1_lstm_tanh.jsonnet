(import '../lib/jain_wallace_2019_pairs.libsonnet')['babi_1_lstm_tanh']
