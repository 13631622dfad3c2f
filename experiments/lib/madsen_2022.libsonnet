// Madsen et al. (2022), ROAR and recursive ROAR: settings.of('sst'), settings.measures, settings.released.
//
// The BiLSTM of Jain & Wallace and their optimiser, without weights of classes, for eight epochs, of which the one is kept
// with the best ROC-AUC on dev. Word vectors are those of common.libsonnet. Not theirs: a mask is the unknown word, not a
// word of its own; texts are cut as Jain & Wallace do; leave-one-out is a measure more.
//
// Their scores are taken at the gold label, which is not known when a model explains itself: `released` does that too. Their
// gradient is a norm over the coordinates of all words; `gradient` in `measures` is Jain & Wallace's, which has the word's own.
//
// With two texts, and on bAbI, models and training are Jain & Wallace's.
local common = import 'common.libsonnet';
local tasks = import 'babi.libsonnet';
local published = import 'jain_wallace_2019.libsonnet';
local two_texts = { snli: (import 'snli.libsonnet') + published.pairs }
                  + { [name]: tasks[name] + published.babi for name in std.objectFields(tasks) };
local lean = { importance: [], analyses: [] };
{
  base: common {
    trainer: {
      epochs: 8,
      batch_size: 32,
      metric: 'roc_auc',
      class_weights: false,
      weight_decay: 1e-5,
    },
  } + lean,
  datasets: ['sst', 'imdb'] + std.objectFields(two_texts),
  of(data):: if std.objectHas(two_texts, data) then two_texts[data] + lean else self.base { data: data },
  measures: ['attention', 'gradient', 'input_x_gradient', 'leave_one_out'],
  released: [
    'attention',
    { type: 'gradient_norm[one-hot]', target: 'gold' },
    { type: 'input_x_gradient', target: 'gold' },
  ],
}
