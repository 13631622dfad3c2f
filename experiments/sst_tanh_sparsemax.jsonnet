// One of Neely & Schouten's (2020) eight experiments.
local sst = import 'lib/sst.libsonnet';
sst { model+: { attention: { type: 'tanh', projection: 'sparsemax' } } }
