// What a published number depends on: nine choices that papers leave open or do not justify, on AG News.
local multiverse = import '../lib/multiverse.libsonnet';
multiverse.of([multiverse.crossed(['ag_news'], ['lstm', 'cnn', 'average']) { blocks: 1 }])
