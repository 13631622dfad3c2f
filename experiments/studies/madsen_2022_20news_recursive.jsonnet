// Madsen et al. (2022) on 20News, every step masked by the model of the step before, as studies/madsen_2022_recursive.
(import 'madsen_2022_20news.jsonnet') { masking: ['recursive'] }
