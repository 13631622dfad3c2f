// bAbI 3 from 850 training texts, where the published models had 8,500: what do renamed ones add?
//
// Who is called what decides no answer: nine copies of each story, with people, places and things exchanged among
// their kind, make as many training texts as the published models had.
local pairs = import 'jain_wallace_2019_pairs.jsonnet';
pairs {
  cells+: { data: { babi_3: pairs.cells.data.babi_3 } },
  choices: {
    setting: {
      'as published': { 'data.renamed': 1 },
      'as many training texts as published, by renaming': { 'data.renamed': 10 },
    },
  },
}
