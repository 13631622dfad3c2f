// How far can attention move while the output stays? Adversaries of the demo's model, and others beside them.
//
// Point `base` at your own experiment; `weights` are the λ of the adversaries.
{
  study: 'frontier',
  base: (import '../demo.jsonnet') { importance: [], analyses: [] },
  weights: [0.01, 0.1, 1],
  seeds: [0, 1],
}
