// The tests of side_by_side_sst, of a model that sees one word at a time: what can contexts hide from them?
//
// Without guides, which are such models themselves.
local whole = import 'side_by_side_sst.jsonnet';
whole {
  base+: { model+: { encoder+: { type: 'average' } } },
  studies: [study for study in whole.studies if study.type != 'guides'],
}
