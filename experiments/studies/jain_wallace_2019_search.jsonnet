// Jain & Wallace (2019): the search for adversaries in two settings that the grid's study leaves it out of.
local grid = import 'jain_wallace_2019.jsonnet';
local search = { analyses: [{ type: 'adversarial', epsilon: 0.01, as_released: true }] };
grid {
  cells+: { data: { [name]: { data: name } for name in ['sst', '20news', 'ag_news'] } },
  choices: {
    setting: { [name]: grid.choices.setting[name] + search for name in ["GloVe's vectors", 'the last epoch is kept'] },
  },
}
