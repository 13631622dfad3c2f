// The whole sweep; data that is absent is skipped with a line.
std.objectValues(import '../lib/meister_2021_sweep.libsonnet')
