// Pruthi et al. (2020), Table 3, first rows: models that never see an impermissible word. What could be hidden is missing.
//
// The words are taken out of all texts; of pronouns the paper says that they are removed or neutralised.
local settings = import '../lib/pruthi_2020.libsonnet';
local of(task, encoder) = settings.deceptive(task, encoder, 0);
local trainer = of('pronoun', 'lstm').trainer;
{
  study: 'sweep',
  base: of('pronoun', 'lstm') {
    trainer: { [key]: trainer[key] for key in std.objectFields(trainer) if key != 'weight' } + { type: 'supervised' },
  },
  cells: {
    task: {
      [task]: { data: of(task, 'lstm').data { removed: true }, 'trainer.epochs': of(task, 'lstm').trainer.epochs }
      for task in settings.tasks
    },
    encoder: { [name]: { 'model.encoder': of('pronoun', name).model.encoder } for name in settings.encoders },
  },
  seeds: [0, 1, 2, 3, 4],
}
