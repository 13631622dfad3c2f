(import '../lib/jain_wallace_2019_grid.libsonnet')['imdb_average_sdp']
