// The bAbI tasks by number. Of task 3 only the small training set is at hand: 850 texts beside 8500 of the others.
local task(number, size) = (import 'common.libsonnet') {
  data: { type: 'babi', task: number, size: size },
  vectors: null,
};
{ babi_1: task(1, 'en-10k'), babi_2: task(2, 'en-10k'), babi_3: task(3, 'en') }
