// Madsen et al. (2022) on 20News, which they do not have: scores at the decision, as studies/madsen_2022.
(import 'madsen_2022.jsonnet') { base+: { data: '20news' } }
