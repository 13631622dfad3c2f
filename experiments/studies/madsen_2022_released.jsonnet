// Madsen et al. (2022) as released: scores at the gold label, macro-F1. The difference is what the gold label is worth.
(import 'madsen_2022.jsonnet') {
  measures: (import '../lib/madsen_2022.libsonnet').released,
  quantity: 'f1_macro',
}
