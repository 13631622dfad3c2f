// Tweets that report an adverse drug reaction, as Jain & Wallace (2019) cut them.
//
// The tweets are to be had from their authors on request only. Who has them writes adr/tweets.csv (or
// .csv.gz; then change `path`) into the data folder, with a header and the columns text, label, split:
//   text   the tweet as written; the tokenizer lower-cases and masks numbers
//   label  1 if it reports an adverse reaction, else 0
//   split  test as in the file received; dev is 15 % of its train (their seed 16377)
// Their bounds "5 to 100" are exclusive; the test split keeps 4123 tweets, 487 of them positive, and
// the vocabulary has 6845 entries.
(import '../lib/common.libsonnet') {
  data: {
    type: 'csv',
    path: 'adr/tweets.csv',
    split: 'split',
    labels: ['0', '1'],
    tokenizer: 'jain_wallace',
    min_tokens: 6,
    max_tokens: 99,
    min_frequency: 2,
  },
}
