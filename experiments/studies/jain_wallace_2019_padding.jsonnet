// Jain & Wallace (2019) on SNLI: does the padding that their code counts in the mean of a question matter?
//
// Their encoder `average` takes that mean over all positions of a batch of 128, whose longest hypothesis has 23 on the
// average, markers included. bAbI is left out: all questions of a task are equally long, so that there is no padding.
local pairs = import 'jain_wallace_2019_pairs.jsonnet';
pairs {
  cells+: { data: { snli: pairs.cells.data.snli }, encoder: { average: pairs.cells.encoder.average } },
  choices: {
    setting: {
      'as published': { 'model.encoder.mean_over_padding': false },
      'the mean of the question counts padding': { 'model.encoder.mean_over_padding': 23 },
    },
  },
}
