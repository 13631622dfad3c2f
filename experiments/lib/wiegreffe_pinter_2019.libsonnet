// Wiegreffe & Pinter (2019): the base that they train, and how their adversaries differ from it.
//
// They train as Jain & Wallace do, and may keep the first epoch. An adversary has up to 80 epochs and ends after 10
// without a lower training loss, whose lowest is kept; the loss of a batch is multiplied by the summed weights of its
// classes. They take half of TVD, so that every λ here is twice the one that they print.
local base = (import 'sst.libsonnet') + (import 'jain_wallace_2019.libsonnet');
{
  base: base {
    vectors: { path: base.vectors, length: 5.2 },
    trainer+: { first_kept_epoch: 1 },
    importance: [],
    analyses: [],
  },
  data: { [name]: { data: name } for name in ['sst', '20news', 'ag_news', 'imdb'] },
  // Their models are selected on test texts; what that adds is the difference between the two levels.
  selection: {
    'on development texts': { 'trainer.selected_on': 'dev' },
    'on test texts, as they did': { 'trainer.selected_on': 'test' },
  },
  training: { epochs: 80, patience: 10, metric: 'loss', class_weights: true },
  twice(weights): [2 * weight for weight in weights],
}
