// The run that the figure of docs/analyses/stacked-attention.md comes from: a small Transformer on generated texts.
{
  name: 'stacked',
  data: { type: 'planted', sizes: [800, 100, 200] },
  model: { embedding_width: 16, encoder: { type: 'transformer', hidden: 16, layers: 3, heads: 4 } },
  trainer: { epochs: 8, learning_rate: 0.01 },
  importance: ['attention'],
  analyses: ['stacked_attention'],
}
