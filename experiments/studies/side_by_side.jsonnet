// What do all tests say of the attention of one small model, and where do they contradict each other?
//
// Generated texts of which it is known which word decides: so the truth is among the tests, and can be hidden.
local base = import '../demo.jsonnet';
{
  study: 'side_by_side',
  base: base { data: { type: 'planted', task: 'keyword', sizes: [1000, 200, 300], hide_truth: true } },
  studies: [
    { type: 'frontier', weights: [0.01, 0.1, 1], search: false },
    'guides',
    { type: 'roar', measures: ['attention', 'truth'], steps: 5 },
    { type: 'deception', weights: [0, 0.1, 1] },
  ],
  seeds: [0, 1, 2],
}
