(import '../lib/jain_wallace_2019_grid.libsonnet')['imdb_lstm_sdp']
