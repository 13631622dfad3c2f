// All measures against all measures, on every dataset and two kinds of model; and which of them find what is known to decide.
local atlas = import '../lib/agreement_atlas.libsonnet';
local published = import '../lib/jain_wallace_2019.libsonnet';
local base = (import '../lib/sst.libsonnet') + published;
local two_texts = published.babi;
// A BiLSTM that is asked something; all of this is replaced where the model is MiniLM.
local asked(decoder, width, hidden, trainer) = {
  'model.query': if decoder == 'pair' then { shared: true } else {},
  'model.decoder': decoder,
  'model.embedding_width': width,
  'model.encoder.hidden': hidden,
  trainer: trainer,
};
local few = { test_limit: 150 };
local fewer = { test_limit: 60 };
{
  study: 'sweep',
  base: base { analyses: atlas.analyses },
  cells: [
    {
      data: {
        planted: { data: few { type: 'planted' } },
        sst: { data: few { type: 'sst' } },
        ag_news: { data: few { type: 'ag_news' } },
        // A sentence of SST, which decides, before one of Wikipedia.
        'sst-wiki': { data: few { type: 'deceptive', task: 'sst-wiki' } },
        imdb: { data: fewer { type: 'imdb', max_tokens: atlas.longest } },
        '20news': { data: fewer { type: '20news', max_tokens: atlas.longest } },
        // All reviews are longer, and people marked passages all through them.
        eraser_movies: { data: fewer { type: 'eraser_movies', first_tokens: atlas.longest } },
      },
      model: { BiLSTM: atlas.bilstm, MiniLM: atlas.minilm(4) },
    },
    {
      data: {
        // Both texts are attended to.
        snli: { data: few { type: 'snli' } } + asked('pair', 300, 128, published.pairs.trainer { epochs: 8 }),
      },
      model: { BiLSTM: atlas.bilstm, MiniLM: atlas.minilm(4) },
    },
    {
      data: {
        babi_1: { data: few { type: 'babi', task: 1, size: 'en-10k' }, vectors: null }
                + asked('query', 50, 32, two_texts.trainer),
      },
      model: { BiLSTM: atlas.bilstm, MiniLM: atlas.minilm(8) },
    },
  ],
  seeds: [0, 1, 2],
}
