// What do all tests say of the attention of the BiLSTM on SST, and where do they contradict each other?
//
// Trained as Wiegreffe & Pinter (2019) train, with their adversaries, and masked in steps of a fifth. Adversaries have two λ,
// one of Table 4 and a large one: wiegreffe_pinter_2019_frontier has seven, and madsen_2022_released_recursive steps of a tenth.
local settings = import '../lib/wiegreffe_pinter_2019_studies.libsonnet';
local adversary = settings.training { weight: 2e-3, divergence: 'kl' };
{
  study: 'side_by_side',
  base: settings.base,
  studies: [
    {
      type: 'frontier',
      weights: settings.twice([8e-4, 1e-2]),
      divergence: 'kl',
      training: settings.training,
      search: false,
    },
    { type: 'guides', adversary: adversary },
    { type: 'roar', measures: ['attention'], steps: 5 },
  ],
  seeds: [0, 1, 2],
}
