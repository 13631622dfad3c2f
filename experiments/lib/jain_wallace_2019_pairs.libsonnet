// The models of Jain & Wallace (2019) with two texts by name: {lstm, cnn, average} × {tanh, sdp} × datasets, with every
// analysis of the paper that two texts have, and truth where supporting facts are known.
local published = import 'jain_wallace_2019.libsonnet';
local babi = import 'babi.libsonnet';
local datasets = { snli: (import 'snli.libsonnet') + published.pairs } + {
  [name]: babi[name] + published.babi
  for name in std.objectFields(babi)
};
{
  ['%s_%s_%s' % [data, encoder, attention]]: datasets[data] + {
    name: '%s_%s_%s' % [data, encoder, attention],
    model+: {
      encoder+: { type: encoder },
      attention: { type: attention, projection: 'softmax' },
    },
    analyses: [
      { type: 'agreement', statistics: ['kendall_tau'] },
      'permutation',
      'adversarial',
      'erasure',
    ] + (if data == 'snli' then [] else ['truth']),
  }
  for data in std.objectFields(datasets)
  for encoder in ['lstm', 'cnn', 'average']
  for attention in ['tanh', 'sdp']
}
