// IMDB on Jain & Wallace's split, reviews of fewer than 400 tokens.
(import 'common.libsonnet') { data: 'imdb' }
