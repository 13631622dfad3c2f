// Diabetes in MIMIC-III discharge summaries, as Jain & Wallace (2019) cut it.
//
// MIMIC-III is credentialed (physionet.org): attex can neither ship it nor fetch it. Who has access
// writes mimic/diabetes.csv (or .csv.gz; then change `path`) into the data folder, with a header and
// the columns text, label, split:
//   rows   the admissions of {train,dev,test}_50_hadm_ids.csv, the lists of the top-50 ICD-9 task
//          (Mullenbach et al. 2018): 8066 / 1573 / 1729
//   text   the admission's discharge summary, report first, then addenda by date, joined by a space;
//          each de-identification bracket [** … **] written <DE>, repeated punctuation squeezed to one
//          mark; case and numbers may stay, the tokenizer lower-cases and masks
//   label  1 if any ICD-9 code of the admission starts with 250.00, else 0
//   split  train, dev or test, after the list the admission is in
// Their bounds "6 to 4000" are exclusive; the test split keeps 1615 texts, 319 of them positive, and
// the vocabulary has 18,888 entries. Their vectors are word2vec (300-d, window 10, words of two
// occurrences or more) trained on all summaries: name your file under `vectors` to do the same.
(import '../lib/common.libsonnet') {
  data: {
    type: 'csv',
    path: 'mimic/diabetes.csv',
    split: 'split',
    labels: ['0', '1'],
    tokenizer: 'jain_wallace',
    min_tokens: 7,
    max_tokens: 3999,
    min_frequency: 5,
  },
}
