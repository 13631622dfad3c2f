// What does the gold label give away? SNLI, trained again without half of the premise.
//
// Masked by scores at the gold label, as Madsen et al. (2022) take them, and at the model's own decision: a mask that depends on
// the label may tell it.
local snli = import 'madsen_2022_snli.jsonnet';
snli {
  measures: [{ type: 'input_x_gradient', target: target } for target in ['gold', 'predicted']],
  masking: ['plain'],
  steps: 2,
  seeds: [0, 1, 2],
}
