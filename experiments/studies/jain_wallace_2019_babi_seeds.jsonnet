// Jain & Wallace (2019) on bAbI 1 and 2 with three more seeds: some trainings find the facts that answer, some do not.
(import 'jain_wallace_2019_babi.jsonnet') { seeds: [3, 4, 5] }
