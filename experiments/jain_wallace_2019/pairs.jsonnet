// The whole grid with two texts; data that is absent is skipped with a line.
std.objectValues(import '../lib/jain_wallace_2019_pairs.libsonnet')
