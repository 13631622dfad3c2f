// Neely et al. (2022) on SNLI, from 21,605 of 549,367 training texts: what do still fewer cost?
local whole = import 'neely_2022.jsonnet';
whole {
  cells: {
    data: { snli: whole.cells.data.snli },
    projection: { softmax: whole.cells.projection.softmax },
  },
  choices: {
    setting: {
      'as published': { 'data.train_share': 1 },
      'half of the training texts': { 'data.train_share': 0.5 },
      'an eighth of the training texts': { 'data.train_share': 0.125 },
    },
  },
}
