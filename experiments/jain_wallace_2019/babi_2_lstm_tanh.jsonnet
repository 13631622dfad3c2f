(import '../lib/jain_wallace_2019_pairs.libsonnet')['babi_2_lstm_tanh']
