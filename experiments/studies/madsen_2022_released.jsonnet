// Madsen et al. (2022) as released: scores at the gold label, macro-F1. The difference is what the gold label is worth.
//
// Plain masking, by the model of whole texts; their numbers are of recursive masking: madsen_2022_released_recursive.
(import 'madsen_2022.jsonnet') {
  measures: (import '../lib/madsen_2022.libsonnet').released,
  quantity: 'f1_macro',
}
