// What a published number depends on: nine choices that papers leave open or do not justify, on SST.
//
// All 243 settings for the BiLSTM, one block of 27 of them for the other encoders. Other datasets: multiverse_*.jsonnet.
local multiverse = import '../lib/multiverse.libsonnet';
multiverse.of([
  multiverse.crossed(['sst'], ['lstm']) { blocks: 9 },
  multiverse.crossed(['sst'], ['cnn', 'average']) { blocks: 1 },
])
