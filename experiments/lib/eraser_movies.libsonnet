// Movie reviews with human rationales: 1600 / 200 / 199 texts of 774 tokens on average.
// Leave-one-out encodes a text once for each token; a limit or `max_tokens` makes a quick look.
(import 'common.libsonnet') {
  data: 'eraser_movies',
  analyses+: ['truth'],
}
