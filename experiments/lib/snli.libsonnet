// SNLI: does the hypothesis, which is asked, follow from the premise, which is attended to?
(import 'common.libsonnet') { data: 'snli' }
