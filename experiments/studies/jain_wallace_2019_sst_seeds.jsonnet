// Jain & Wallace (2019) on SST with five more seeds, where a swap comes nearer and three seeds could not tell it from chance.
local grid = import 'jain_wallace_2019.jsonnet';
local swaps = (import 'jain_wallace_2019_grid_swaps.jsonnet').choices.setting;
local unknown = 'unknown words start from a draw';
local of(encoder, attention) = {
  data: { sst: grid.cells.data.sst },
  encoder: { [encoder]: grid.cells.encoder[encoder] },
  attention: { [attention]: grid.cells.attention[attention] },
};
grid {
  cells: [of('cnn', 'tanh'), of('average', 'sdp')],
  choices: { setting: grid.choices.setting { [unknown]: swaps[unknown] } },
  seeds: [3, 4, 5, 6, 7],
}
