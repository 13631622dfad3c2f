// Neely et al. (2022): a pretrained Transformer tuned on SST (DeepLIFT by plain gradients: it has no rules for it).
local paper = import '../lib/neely_2022.libsonnet';
paper.pretrained { data: paper.data.sst }
