// Jain & Wallace (2019) on bAbI 1 and 2, whose training sets are whole: does it matter which epoch is kept?
local pairs = import 'jain_wallace_2019_pairs.jsonnet';
pairs {
  cells+: { data: { [task]: pairs.cells.data[task] for task in ['babi_1', 'babi_2'] } },
  choices: {
    setting: {
      'as published': { 'trainer.first_kept_epoch': 2 },
      'the last epoch is kept': { 'trainer.first_kept_epoch': 100 },
    },
  },
}
