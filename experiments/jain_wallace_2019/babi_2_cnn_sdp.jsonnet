(import '../lib/jain_wallace_2019_pairs.libsonnet')['babi_2_cnn_sdp']
