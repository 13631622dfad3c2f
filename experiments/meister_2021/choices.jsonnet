// Two choices that move agreement, on SST. The learning rate of attention is "the same or ten times" in the paper:
// ten times, here. And the vectors that a model starts from (the paper's are fastText's): GloVe's, with that rate.
local sweep = import '../lib/meister_2021_sweep.libsonnet';
local models = ['sst_%s_%s' % [encoder, projection] for encoder in ['lstm', 'transformer'] for projection in ['softmax', 'sparsemax']];
local rate = { trainer+: { attention_rate_factor: 10 } };
local glove = { vectors: 'vectors/glove.6B.100d.txt.gz', model+: { embedding_width: 100 } };
[sweep[name] + rate { name: name + '_rate' } for name in models]
+ [sweep[name] + rate + glove { name: name + '_rate_glove' } for name in models]
