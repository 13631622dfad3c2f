// What a published number depends on: nine choices that papers leave open or do not justify, on IMDB.
local multiverse = import '../lib/multiverse.libsonnet';
multiverse.of([multiverse.crossed(['imdb'], ['lstm', 'cnn', 'average']) { blocks: 1 }])
