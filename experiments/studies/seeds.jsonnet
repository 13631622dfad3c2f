// How far does attention move with the seed alone? Nine seeds of the demo's model, each held against all others.
{
  study: 'seeds',
  base: (import '../demo.jsonnet') { importance: [], analyses: [] },
  seeds: [0, 1, 2, 3, 4, 5, 6, 7, 8],
}
