// Jain & Wallace (2019): the search for adversaries in two settings that the swaps leave it out of.
local swaps = import 'jain_wallace_2019_grid_swaps.jsonnet';
local search = { analyses: [{ type: 'adversarial', epsilon: 0.01, as_released: true }] };
swaps {
  cells+: { data: { [name]: { data: name } for name in ['sst', '20news', 'ag_news'] } },
  choices: {
    setting: { [name]: swaps.choices.setting[name] + search for name in ["GloVe's vectors", 'the last epoch is kept'] },
  },
}
