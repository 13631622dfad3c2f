// bAbI 3 from 850 training texts, where the published models had 8,500: what do still fewer cost?
local pairs = import 'jain_wallace_2019_pairs.jsonnet';
pairs {
  cells+: { data: { babi_3: pairs.cells.data.babi_3 } },
  choices: {
    setting: {
      'as published': { 'data.train_share': 1 },
      'half of the training texts': { 'data.train_share': 0.5 },
      'an eighth of the training texts': { 'data.train_share': 0.125 },
    },
  },
}
