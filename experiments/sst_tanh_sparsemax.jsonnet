// One of Neely & Schouten's (2020) eight experiments.
local sst = import 'lib/sst.libsonnet';
local compared = (import 'lib/neely_schouten_2020.libsonnet').compared.sst;
sst + compared + { model+: { attention: { type: 'tanh', projection: 'sparsemax' } } }
