// Does the demo's model miss the words that attention points at, when it is trained without them?
//
// One word decides every text, and it is known which: what masking that one comes to is the most that can be.
local base = import '../demo.jsonnet';
{
  study: 'roar',
  base: base { data: { type: 'planted', task: 'keyword', sizes: [1000, 200, 300] } },
  measures: ['attention', 'gradient', 'truth'],
  steps: 5,
  seeds: [0, 1, 2],
}
