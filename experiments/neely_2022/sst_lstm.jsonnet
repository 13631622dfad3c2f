// Neely et al. (2022): a BiLSTM on SST, all pairs of attention and five attribution methods.
local paper = import '../lib/neely_2022.libsonnet';
paper.lstm { data: paper.data.sst }
