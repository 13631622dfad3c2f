// How far can the attention of a model that is asked something move while its answer stays?
//
// A text says how good, how warm and how cheap it was, and a question asks after one of them. The exact maximum and
// its bound need a linear decoder, which such a model does not have: they are left out with a line.
{
  study: 'frontier',
  base: {
    data: { type: 'planted', task: 'question', sizes: [1200, 200, 200] },
    model: { embedding_width: 24, encoder: { type: 'average', hidden: 24 }, query: {}, decoder: 'query' },
    trainer: { epochs: 20, learning_rate: 0.01 },
    importance: [],
    analyses: [],
  },
  weights: [0.01, 0.1, 1],
  seeds: [0, 1],
}
