// Jain & Wallace (2019) as their released code trains: (import 'sst.libsonnet') + this.
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
}
