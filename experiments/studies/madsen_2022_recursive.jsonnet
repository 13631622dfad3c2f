// Madsen et al. (2022) on SST, every step masked by the model of the step before: scores at the decision, as studies/madsen_2022.
(import 'madsen_2022.jsonnet') { masking: ['recursive'] }
