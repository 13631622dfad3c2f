// Jain & Wallace (2019) as their released code trains: (import 'sst.libsonnet') + this. Where there are two texts:
// (import 'snli.libsonnet') + this.pairs.
//
// Beyond the paper's text: the loss is summed over a batch, so that weight decay is 32 times weaker
// than beside a mean; the first epoch's model is never kept; three optimisers (one here, with the
// same groups). They leave open the seed (none is fixed) and use fastText's "simple" vectors.
{
  trainer+: {
    epochs: 8,
    batch_size: 32,
    learning_rate: 1e-3,
    weight_decay: 1e-5,
    amsgrad: true,
    class_weights: true,
    reduction: 'sum',
    metric: 'roc_auc',
    first_kept_epoch: 2,
  },

  // With two texts there is one optimiser, which decays attention, too, and the loss is the mean. Epochs and batches
  // are SNLI's; bAbI has its own. SNLI starts from GloVe's vectors of 840 billion words, bAbI from random ones.
  pairs:: {
    model+: { query: {}, decoder: 'query' },
    trainer+: {
      epochs: 25,
      batch_size: 128,
      learning_rate: 1e-3,
      weight_decay: 1e-5,
      decay_attention: true,
      amsgrad: true,
      class_weights: false,
      reduction: 'mean',
      metric: 'accuracy',
      first_kept_epoch: 2,
    },
  },

  // On top of `pairs`: bAbI's small models and long training.
  babi:: self.pairs {
    model+: { embedding_width: 50, encoder+: { hidden: 32 } },
    trainer+: { epochs: 100, batch_size: 50 },
  },
}
