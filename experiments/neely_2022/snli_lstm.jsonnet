// Neely et al. (2022): a BiLSTM on SNLI, all pairs of attention and five attribution methods.
local paper = import '../lib/neely_2022.libsonnet';
paper.pair { data: paper.data.snli }
