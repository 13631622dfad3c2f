// Jain & Wallace (2019) on SNLI: do longer vectors, or a draw for unknown words, bring its numbers nearer?
//
// The published models start from GloVe's vectors of 840 billion words, which have nearly all words. How long they are is not
// known here: 8 is a trial, longer than the 5.2 of the base.
local swaps = import 'jain_wallace_2019_snli.jsonnet';
swaps {
  choices: {
    setting: {
      'vectors of length 8': { 'vectors.length': 8 },
      'unknown words start from a draw': { 'vectors.unknown': 'random' },
    },
  },
}
