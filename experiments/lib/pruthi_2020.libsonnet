// Pruthi et al. (2020) as their released code trains: settings.deceptive('pronoun', 'lstm', 0.1), …
//
// Words are cut at white space, without markers, and looked up in 128 columns that start at random. An energy is a linear
// function of the embedding, or of the state of a BiLSTM with 64 units a direction. Adam as it comes, the epoch kept that
// is best on dev. They train on one text at a time: pass 1; the default is 32. The training texts of occupation are not
// to be had, so that those of dev and test are dealt out anew.
local tasks = {
  pronoun: { epochs: 15, data: {} },
  'sst-wiki': { epochs: 15, data: {} },
  occupation: { epochs: 5, data: { resplit: true } },
};
local encoders = { embedding: 'embedding', lstm: { type: 'lstm', hidden: 64 } };
{
  tasks: std.objectFields(tasks),
  encoders: std.objectFields(encoders),
  weights: [0, 0.1, 1],
  deceptive(task, encoder, weight, batch_size=32):: {
    name: '%s_%s_%g' % [task, encoder, weight],
    data: { type: 'deceptive', task: task, markers: false } + tasks[task].data,
    model: { embedding_width: 128, encoder: encoders[encoder], attention: 'linear' },
    trainer: {
      type: 'deceptive',
      weight: weight,
      epochs: tasks[task].epochs,
      batch_size: batch_size,
      reduction: 'mean',
      class_weights: false,
      metric: 'accuracy',
      amsgrad: false,
      weight_decay: 0,
    },
    seeds: [0, 1, 2, 3, 4],
    importance: ['attention'],
    analyses: [],
  },
}
