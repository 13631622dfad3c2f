// Jain & Wallace (2019) on SNLI, tanh attention with three more seeds: six could not tell GloVe's vectors from chance.
local seeds = import 'jain_wallace_2019_snli_seeds.jsonnet';
seeds {
  cells+: {
    encoder: { [name]: seeds.cells.encoder[name] for name in ['lstm', 'cnn'] },
    attention: { tanh: seeds.cells.attention.tanh },
  },
  choices: { setting: { [name]: seeds.choices.setting[name] for name in ['as published', "GloVe's vectors"] } },
  seeds: [6, 7, 8],
}
