// Jain & Wallace (2019) on AG News, from 11,795 training texts where they had 51,000: what do still fewer cost?
local grid = import 'jain_wallace_2019.jsonnet';
grid {
  cells+: { data: { ag_news: { data: { type: 'ag_news' } } } },
  choices: {
    setting: {
      'as published': { 'data.train_share': 1 },
      'half of the training texts': { 'data.train_share': 0.5 },
      'an eighth of the training texts': { 'data.train_share': 0.125 },
    },
  },
}
