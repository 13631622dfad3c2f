// Texts of your own: change what is marked, and run it again.
{
  data: {
    type: 'csv',
    // Your file: beside this one, in the data folder (ATTEX_DATA), or where attex is started.
    path: 'texts.csv',
    // The names of its columns.
    text: 'text',
    label: 'label',
    // A column of 0/1 marks, one for each token: which words decide, if you know. Else leave this out.
    rationale: 'evidence',
    // A column with train, dev or test. Without it a fixed fifth of the rows is test and a tenth dev.
    // split: 'split',
    // Texts that are longer are left out; leave-one-out takes long on long ones.
    // max_tokens: 400,
    // Words of fewer training texts are unknown to the model.
    // min_frequency: 2,
  },
  model: {
    // Word vectors can start the embedding: `vectors: 'file'` beside `model`, of this width.
    embedding_width: 64,
    // lstm, gru, cnn, transformer or average: `attex list encoder`.
    encoder: { type: 'lstm', hidden: 64 },
    // tanh or sdp; softmax, sparsemax, entmax15, …: `attex list attention`, `attex list projection`.
    attention: { type: 'tanh', projection: 'softmax' },
  },
  trainer: { epochs: 10, patience: 3 },
  // Several, always: models that differ in nothing but the seed differ in what they attend to.
  seeds: [0, 1, 2],
  // What a token contributes, by each of these: `attex list measure`.
  importance: ['attention', 'gradient', 'leave_one_out'],
  // What is asked of the models: `attex list analysis`.
  analyses: [
    'truth',
    { type: 'agreement', statistics: ['kendall_tau'] },
    'faithfulness',
  ],
}
