"""Keys about training: batches, optimiser, when to stop, seeds, machines."""

import re
from typing import Any

from attex.config.published.draft import Draft, Key, as_it_is, look_up, option, told

AS_ALLENNLP = {
    "epochs": 20,
    "batch_size": 32,
    "learning_rate": 1e-3,
    "weight_decay": 0.0,
    "amsgrad": False,
    "patience": None,
    "metric": "roc_auc",
    "class_weights": False,
    "reduction": "mean",
    "decay_attention": True,
}
"""What a file trains with that says nothing: AllenNLP's defaults, and the loss of their models."""

METRICS = {"+auc": "roc_auc", "+accuracy": "accuracy"}
OPTIMIZERS = {"adam": 0.0, "adamw": 0.01, "huggingface_adamw": 0.0}
"""Optimisers that are Adam, each with the weight decay that it has by itself."""

OWN_SEEDS = (0, 1, 2)
COMMAND_SEEDS = (87, 2134, 5555)
"""What court-of-xai's command trains with, whatever the file says."""

_ALPHA, _OTHER = "attention.activation.alpha", "attention.alignment_layer1.weight"
"""What two parameters are called in their models."""


def _metric(draft: Draft, path: str, value: Any) -> None:
    ours = look_up(METRICS, value)
    if ours is not None:
        draft.set("trainer.metric", ours)
    else:
        draft.note(path, value, f"attex knows {', '.join(METRICS)}; it takes +auc")
    draft.said["metric"] = value


def _optimizer(draft: Draft, path: str, value: Any) -> None:
    decay = look_up(OPTIMIZERS, value)
    if decay is None:
        draft.problem(path, value, f"attex trains with Adam: {', '.join(OPTIMIZERS)}")
        return
    draft.said["optimizer"] = value
    draft.set("trainer.weight_decay", decay)


def _rates(draft: Draft, path: str, value: Any) -> None:
    """Find the learning rate that a group of parameters has, if it is the one of α alone."""
    for group in value if isinstance(value, list) else [value]:
        rate = _alpha_rate(group)
        if rate is None:
            draft.note(path, group, "attex has one rate for all parameters but a learned α")
        else:
            draft.said["alpha rate"] = rate


def _alpha_rate(group: Any) -> Any:
    try:
        names, options = group
        meant = {each for each in (_ALPHA, _OTHER) if any(re.search(name, each) for name in names)}
        return options["lr"] if meant == {_ALPHA} and set(options) == {"lr"} else None
    except (TypeError, ValueError, KeyError, re.error):
        return None


def _seed(draft: Draft, path: str, value: Any) -> None:
    if "attention_experiment" in draft.file:
        draft.note(path, value, f"their command takes the seeds {_listed(COMMAND_SEEDS)} instead")
    elif "seeds" not in draft.fields:
        draft.fields["seeds"] = [value]
    elif draft.fields["seeds"] != [value]:
        draft.note(path, value, f"attex has one seed for everything, {draft.fields['seeds'][0]}")


_LOGS = "attex keeps its own logs and checkpoints"
_DEVICE = "attex run --device, --jobs and --engine choose the machine"
_LIKE = "attex batches texts of like length (up to 10 % noise), batches in random order"

TRAINING_KEYS = (
    option("iterator.batch_size", "trainer.batch_size"),
    option("data_loader.batch_size", "trainer.batch_size"),
    option("data_loader.batch_sampler.batch_size", "trainer.batch_size"),
    as_it_is("iterator.type", "bucket", otherwise=_LIKE),
    as_it_is("data_loader.batch_sampler.type", "bucket", otherwise=_LIKE),
    as_it_is(
        "iterator.sorting_keys",
        [["tokens", "num_tokens"]],
        [["tokens", "tokens_length"]],
        otherwise=_LIKE,
    ),
    as_it_is("data_loader.batch_sampler.sorting_keys", ["tokens"], otherwise=_LIKE),
    as_it_is("iterator.padding_noise", 0.1, otherwise=_LIKE),
    as_it_is("data_loader.batch_sampler.padding_noise", 0.1, otherwise=_LIKE),
    told("data_loader.shuffle", _LIKE),
    told("data_loader.num_workers|pin_memory|max_instances_in_memory|cuda_device", _DEVICE),
    told(
        "validation_data_loader|validation_iterator", "attex batches as it can: no score depends on it"
    ),
    as_it_is("trainer.type", "default", "gradient_descent", otherwise="attex trains by epochs"),
    option("trainer.num_epochs", "trainer.epochs"),
    option("trainer.patience", "trainer.patience"),
    Key("trainer.validation_metric", "`trainer.metric`: `+auc`, `+accuracy`; else named", _metric),
    Key("trainer.optimizer.type", "Adam: adam, adamw, huggingface_adamw; else refused", _optimizer),
    option("trainer.optimizer.lr", "trainer.learning_rate"),
    option("trainer.optimizer.weight_decay", "trainer.weight_decay"),
    option("trainer.optimizer.amsgrad", "trainer.amsgrad"),
    as_it_is("trainer.optimizer.betas", [0.9, 0.999], otherwise="attex's are 0.9 and 0.999"),
    as_it_is("trainer.optimizer.eps", 1e-8, otherwise="attex's is 1e-8"),
    Key("trainer.optimizer.parameter_groups", "`projection.learning_rate` of a learned α", _rates),
    told("trainer.grad_norm|grad_clipping", "attex does not clip gradients"),
    told("trainer.learning_rate_scheduler|momentum_scheduler", "attex's learning rate is constant"),
    as_it_is(
        "trainer.num_gradient_accumulation_steps", 1, otherwise="attex makes a step with each batch"
    ),
    as_it_is("trainer.shuffle", True, otherwise=_LIKE),
    told("trainer.moving_average", "attex keeps the weights of the best epoch"),
    told("trainer.epoch_callbacks|batch_callbacks|end_callbacks|callbacks", "attex has no callbacks"),
    told(
        "trainer.checkpointer|num_serialized_models_to_keep|keep_serialized_model_every_num_seconds",
        _LOGS,
    ),
    told("trainer.model_save_interval|summary_interval|histogram_interval|tensorboard_writer", _LOGS),
    told(
        "trainer.should_log_parameter_statistics|should_log_learning_rate|log_batch_size_period", _LOGS
    ),
    told(
        "trainer.cuda_device|cuda_devices|use_amp|opt_level|local_rank|world_size|distributed", _DEVICE
    ),
    told("distributed|cuda_device|ngpus", _DEVICE),
    Key("pytorch_seed", "`seeds`, unless there is an `attention_experiment`", _seed),
    Key("random_seed", "`seeds`, unless `pytorch_seed` is another", _seed),
    Key("numpy_seed", "`seeds`, unless one of the others is another", _seed),
)


def finish_training(draft: Draft) -> None:
    """Say what attex takes for what was not written, where that is not what they have."""
    trainer = draft.fields["trainer"]
    if "metric" not in draft.said:
        draft.absent("trainer.validation_metric", "attex takes +auc (AllenNLP's is -loss)")
    if draft.said.get("optimizer", "adam") != "adam" and trainer["weight_decay"] != 0:
        why = "attex's Adam decays through the gradient, AdamW beside it"
        draft.note("trainer.optimizer.weight_decay", trainer["weight_decay"], why)
    if "attention_experiment" in draft.file:
        draft.fields["seeds"] = list(COMMAND_SEEDS)
    elif "seeds" not in draft.fields:
        draft.fields["seeds"] = list(OWN_SEEDS)
        why = f"attex takes {_listed(OWN_SEEDS)} (AllenNLP's 13370 draws other numbers there)"
        draft.absent("random_seed", why)


def _listed(seeds: tuple[int, ...]) -> str:
    return ", ".join(map(str, seeds))
