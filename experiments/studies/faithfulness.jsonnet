// Is agreement evidence of faithfulness? Three corpora in which it is known which words decide: planted by us, the
// sentence among Wikipedia's that has the sentiment, and what people marked in movie reviews.
//
// Models that differ in their seed only are compared, so there are many seeds and few settings.
local base = (import '../lib/sst.libsonnet') + (import '../lib/jain_wallace_2019.libsonnet');
local vectors(length) = { vectors: { path: base.vectors, length: length } };
local data = {
  planted: { data: 'planted' },
  'sst-wiki': { data: { type: 'deceptive', task: 'sst-wiki' } },
  eraser_movies: { data: 'eraser_movies' },
};
{
  study: 'multiverse',
  base: base {
    analyses: [
      { type: 'agreement', statistics: ['kendall_tau'], controls: 'permuted' },
      'truth',
      'faithfulness',
      { type: 'dispersion', on: 'scores' },
    ],
  },
  cells: {
    data: data,
    projection: { [name]: { 'model.attention.projection': name } for name in ['softmax', 'sparsemax'] },
  },
  choices: {
    learning_rate: { ['%g' % rate]: { 'trainer.learning_rate': rate } for rate in [5e-4, 1e-3, 2e-3] },
    length: { ['%g' % length]: vectors(length) for length in [1, 5.2] },
    width: { ['%d' % width]: { 'model.encoder.hidden': width } for width in [64, 128] },
  },
  seeds: [0, 1, 2, 3, 4, 5],
}
