// One of Neely & Schouten's (2020) eight experiments.
local imdb = import 'lib/imdb.libsonnet';
imdb { model+: { attention: { type: 'tanh', projection: 'sparsemax' } } }
