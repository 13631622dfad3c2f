// One of Neely & Schouten's (2020) eight experiments.
local imdb = import 'lib/imdb.libsonnet';
local compared = (import 'lib/neely_schouten_2020.libsonnet').compared.imdb;
imdb + compared + { model+: { attention: { type: 'tanh', projection: 'sparsemax' } } }
