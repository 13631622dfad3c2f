// Pruthi et al. (2020), Table 3: attention that is trained off impermissible words, and whether these are still used.
//
// In batches of 32; their code trains on one text at a time: -o trainer.batch_size=1. The training texts of occupation
// are not to be had, so that those of dev and test are dealt out anew.
local settings = import '../lib/pruthi_2020.libsonnet';
local of(task, encoder) = settings.deceptive(task, encoder, 0);
{
  study: 'deception',
  base: of('pronoun', 'lstm'),
  cells: {
    task: {
      [task]: { data: of(task, 'lstm').data, 'trainer.epochs': of(task, 'lstm').trainer.epochs }
      for task in settings.tasks
    },
    encoder: { [name]: { 'model.encoder': of('pronoun', name).model.encoder } for name in settings.encoders },
  },
  weights: settings.weights,
  seeds: [0, 1, 2, 3, 4],
}
