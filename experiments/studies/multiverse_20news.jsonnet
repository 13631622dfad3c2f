// What a published number depends on: nine choices that papers leave open or do not justify, on 20News.
local multiverse = import '../lib/multiverse.libsonnet';
multiverse.of([multiverse.crossed(['20news'], ['lstm', 'cnn', 'average']) { blocks: 1 }])
