// What a published number depends on: nine choices that papers leave open or do not justify.
//
// They are made in every cell of Jain & Wallace's grid, with dense and sparse attention: `of` is a study of some datasets.
// All 243 settings for the BiLSTM on SST, one block of 27 of them elsewhere. Everything that is not chosen here is as
// their released code has it. A level of `vectors` sets their width, too: GloVe's file is 100 wide.
local base = (import 'sst.libsonnet') + (import 'jain_wallace_2019.libsonnet');
local agreement = { type: 'agreement', statistics: ['kendall_tau'], controls: 'permuted' };
local datasets = {
  sst: { data: 'sst' },
  '20news': { data: '20news' },
  ag_news: { data: 'ag_news' },
  // Long texts: the influence of every token on every state takes longer than all the rest, and next to that leaving out every
  // token. So the first is left out, and the second done for 1,000 of 4,346 test texts.
  imdb: { data: { type: 'imdb', test_limit: 1000 }, analyses: [agreement, 'permutation'] },
};
local encoders = {
  [encoder]: { 'model.encoder.type': encoder }
  for encoder in ['lstm', 'cnn', 'average']
};
local attentions = { attention: ['tanh', 'sdp'], projection: ['softmax', 'sparsemax'] };
local crossed(data, of) = {
  data: { [name]: datasets[name] for name in data },
  encoder: { [name]: encoders[name] for name in of },
  attention: { [name]: { 'model.attention.type': name } for name in attentions.attention },
  projection: { [name]: { 'model.attention.projection': name } for name in attentions.projection },
};
{
  crossed:: crossed,
  // A study of cells, each with as many blocks of 27 settings as is said there.
  of(cells):: {
    study: 'multiverse',
    base: base {
      analyses: [agreement, 'permutation', 'dispersion'],
    },
    choices: {
      vectors: {
        word2vec: { 'vectors.path': 'vectors/word2vec.300d.vec.gz', 'model.embedding_width': 300 },
        glove: { 'vectors.path': 'vectors/glove.6B.100d.txt.gz', 'model.embedding_width': 100 },
        none: { vectors: null, 'model.embedding_width': 300 },
      },
      length: {
        levels: { '1': { 'vectors.length': 1 }, '2.5': { 'vectors.length': 2.5 }, '5.2': { 'vectors.length': 5.2 } },
        within: { vectors: ['word2vec', 'glove'] },
      },
      unknown: {
        levels: { zero: { 'vectors.unknown': 'zero' }, random: { 'vectors.unknown': 'random' } },
        within: { vectors: ['word2vec', 'glove'] },
      },
      width: { ['%d' % width]: { 'model.encoder.hidden': width } for width in [64, 128, 256] },
      learning_rate: { ['%g' % rate]: { 'trainer.learning_rate': rate } for rate in [5e-4, 1e-3, 2e-3] },
      weight_decay: { ['%g' % decay]: { 'trainer.weight_decay': decay } for decay in [0, 1e-5, 3e-4] },
      epochs: { ['%d' % epochs]: { 'trainer.epochs': epochs } for epochs in [4, 8, 12] },
      batch_size: { ['%d' % size]: { 'trainer.batch_size': size } for size in [32, 64, 128] },
      class_weights: { weighted: { 'trainer.class_weights': true }, equal: { 'trainer.class_weights': false } },
    },
    cells: cells,
    seeds: [0, 1],
  },
}
