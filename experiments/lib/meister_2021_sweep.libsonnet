// The sparsity sweep by name: projections from softmax to the sparsest × {lstm + tanh, transformer + sdp} × datasets.
//
// The paper does not give its grid of λ. Here: −30 (hardly sparse) to 0.9, with 0, which is sparsemax, between them.
// The second axis, α-entmax from softmax (α = 1) over 1.5 to sparsemax (α = 2), and a learned α, is not in the paper.
// IMDB has one seed, five λ and softmax, for the time they take.
local settings = import 'meister_2021.libsonnet';
local lambdas = [-30, -10, -3, -1, 0.5, 0.9];
local projections = {
  softmax: 'softmax',
  sparsemax: 'sparsemax',
  learned_entmax: 'learned_entmax',
  'entmax_1.5': 'entmax15',
} + {
  ['entmax_%g' % alpha]: { type: 'entmax', alpha: alpha }
  for alpha in [1.25, 1.75]
} + {
  ['sparsegen_%g' % lambda]: { type: 'sparsegen', lam: lambda }
  for lambda in lambdas
};
local on_imdb = ['softmax', 'sparsemax', 'sparsegen_-10', 'sparsegen_-1', 'sparsegen_0.5', 'sparsegen_0.9'];
{
  ['%s_%s_%s' % [data, encoder, projection]]: settings[data][encoder] {
    name: '%s_%s_%s' % [data, encoder, projection],
    model+: { attention+: { projection: projections[projection] } },
    seeds: if data == 'imdb' then [0] else [0, 1, 2],
    importance: [
      'attention',
      'gradient_norm',
      'leave_one_out',
      'gradient_norm[hidden]',
      'leave_one_out[hidden]',
    ],
    analyses: ['dispersion', 'contextualisation', 'faithfulness'],
  }
  for data in ['sst', '20news', 'imdb']
  for encoder in ['lstm', 'transformer']
  for projection in std.objectFields(projections)
  if data != 'imdb' || std.member(on_imdb, projection)
}
