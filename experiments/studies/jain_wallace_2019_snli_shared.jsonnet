// Jain & Wallace (2019) on SNLI: do its numbers come nearer where premise and hypothesis share a table and an encoder?
//
// Theirs have one each. From 21,605 of 549,367 pairs such a model hardly learns to hold one text against the other, and what
// it decides rests on the hypothesis. Sharing is not theirs: it stands for what more pairs would teach.
local pairs = import 'jain_wallace_2019_pairs.jsonnet';
pairs {
  cells+: { data: { snli: pairs.cells.data.snli } },
  choices: {
    setting: {
      'as published': { 'model.query.shared': false },
      'both texts share table and encoder': { 'model.query.shared': true },
    },
  },
}
