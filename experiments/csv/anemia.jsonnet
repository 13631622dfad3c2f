// Acute or chronic anemia in MIMIC-III discharge summaries, as Jain & Wallace (2019) cut it.
//
// MIMIC-III is credentialed (physionet.org): attex can neither ship it nor fetch it. Who has access
// writes mimic/anemia.csv (or .csv.gz; then change `path`) into the data folder, with a header and the
// columns text, label, split:
//   rows   the admissions that have one of the two diagnoses and not the other
//   text   the discharge summary, prepared as diabetes.jsonnet says
//   label  1 if an ICD-9 code contains 285.1 and none 285.2 (acute), 0 the other way round (chronic)
//   split  stratified by label: a fifth for test (their seed 12939), then 15 % of the rest for dev
//          (13448)
// They bound the length from above only, "below 4000"; a missing bound is the shortest text of each
// split, which drops. The test split keeps 1262 texts, and the vocabulary has 16,274 entries. Vectors
// as for diabetes.
(import '../lib/common.libsonnet') {
  data: {
    type: 'csv',
    path: 'mimic/anemia.csv',
    split: 'split',
    labels: ['0', '1'],
    tokenizer: 'jain_wallace',
    drop_extremes: true,
    max_tokens: 3999,
    min_frequency: 5,
  },
}
