// Madsen et al. (2022) as released, every step masked by the model of the step before: the numbers that they publish.
(import 'madsen_2022_released.jsonnet') { masking: ['recursive'] }
