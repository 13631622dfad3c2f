// Binary SST as Jain & Wallace cut it: 6355 / 821 / 1725 sentences.
(import 'common.libsonnet') { data: 'sst' }
