(import '../lib/jain_wallace_2019_pairs.libsonnet')['snli_cnn_sdp']
