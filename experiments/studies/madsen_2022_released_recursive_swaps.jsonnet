// Madsen et al. (2022) as released, recursive masking, with one ingredient swapped: vectors as long as those of the papers.
//
// Word2vec's all have length 1, and those of the papers are about 5 long. Three seeds.
local released = import 'madsen_2022_released_recursive.jsonnet';
released {
  base+: { vectors: { path: released.base.vectors, length: null } },
  choices: {
    setting: {
      'as published': { 'vectors.length': null },
      'vectors of length 5.2': { 'vectors.length': 5.2 },
    },
  },
  seeds: [0, 1, 2],
}
