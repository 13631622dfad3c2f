// Madsen et al. (2022): models without the tenth of the words that a measure finds most important, and without half.
//
// `gold` is as released: scores are taken at the gold label, which is not known when a model explains itself. `decided` takes
// them at the decision. By the model of whole texts, and anew after every tenth (recursive ROAR). The curves over all shares, with
// five seeds and random words beside them, are studies/madsen_2022_released_recursive and its kin.
local settings = import '../lib/madsen_2022.libsonnet';
local measures = { gold: settings.released, decided: settings.measures };
local ways = { plain: null, recursive: 0.1 };
local titled(measure) = std.split(if std.isObject(measure) then measure.type else measure, '[')[0];
[
  settings.of(data) {
    name: '%s_without_%g_by_%s_%s_%s' % [data, 100 * share, titled(measure), label, way],
    seeds: [0],
    masked: { measure: measure, share: share, recursive: ways[way] },
  }
  for data in settings.datasets
  for label in std.objectFields(measures)
  for measure in measures[label]
  for way in std.objectFields(ways)
  for share in [0.1, 0.5]
]
