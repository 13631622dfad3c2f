// Jain & Wallace (2019) on 20News, tanh attention with eight more seeds: eight could not tell some swaps from chance.
local seeds = import 'jain_wallace_2019_20news_seeds.jsonnet';
seeds {
  cells+: {
    encoder: { [name]: seeds.cells.encoder[name] for name in ['lstm', 'cnn'] },
    attention: { tanh: seeds.cells.attention.tanh },
  },
  seeds: std.range(8, 15),
}
