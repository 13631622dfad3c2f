// Madsen et al. (2022), ROAR and recursive ROAR: settings.base + { data: 'sst' }, settings.measures, settings.released.
//
// The BiLSTM of Jain & Wallace and their optimiser, without weights of classes, for eight epochs, of which the one is kept
// with the best ROC-AUC on dev. Word vectors are those of common.libsonnet. Not theirs: a mask is the unknown word, not a
// word of its own; texts are cut as Jain & Wallace do; leave-one-out is a measure more.
//
// Their scores are taken at the gold label, which is not known when a model explains itself: `released` does that too. Their
// gradient is a norm over the coordinates of all words; `gradient` in `measures` is Jain & Wallace's, which has the word's own.
local common = import 'common.libsonnet';
{
  base: common {
    trainer: {
      epochs: 8,
      batch_size: 32,
      metric: 'roc_auc',
      class_weights: false,
      weight_decay: 1e-5,
    },
    importance: [],
    analyses: [],
  },
  measures: ['attention', 'gradient', 'input_x_gradient', 'leave_one_out'],
  released: [
    'attention',
    { type: 'gradient_norm[one-hot]', target: 'gold' },
    { type: 'input_x_gradient', target: 'gold' },
  ],
}
