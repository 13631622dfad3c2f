"""An epoch against another model, or under its attention, beside a supervised one.

The base's outputs are computed once, and so is the attention of a guide. So are the states of a frozen
adversary, whose epochs do not encode the texts again.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import torch

from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.training.loop import Epochs, EpochTrainer
from attex.training.trainer import TRAINERS
from benchmarks.timing import Result, finished, seconds
from benchmarks.training import corpus_of

CPU = torch.device("cpu")
AT_MOST = 1.3
TRAINERS_COMPARED = {
    "adversary, unfrozen, jsd": {"type": "adversarial", "base": {}},
    "adversary, unfrozen, kl": {"type": "adversarial", "base": {}, "divergence": "kl"},
    "adversary, frozen, jsd": {"type": "adversarial", "base": {}, "frozen": True},
    "a guided model": {"type": "guided", "guide": {}},
}


def epoch_of(options: dict[str, object], corpus: Corpus, device: torch.device) -> Callable[[], None]:
    """Prepare a training, and return one epoch of it."""
    trainer: EpochTrainer = TRAINERS.bind(TRAINERS.spec(options))
    spec, size, classes = MODELS.spec("attention"), corpus.vocabulary_size, len(corpus.classes)
    base, model = (assemble(spec, size, classes, seed).to(device) for seed in (0, 1))
    sources = {name: base.eval().requires_grad_(False) for name in trainer.sources()}
    trained = trainer.wrap(model, sources)
    objective = trainer.objective(trained, corpus, device, sources)
    epochs = Epochs(trainer, objective, trained, trainer.optimizer(trained), corpus, 0, device)

    def run() -> None:
        with epochs.stream():
            epochs.run(1)

    return finished(run)


def compared(corpus: Corpus, what: str, device: torch.device, times: int = 3) -> Iterator[Result]:
    """Time an epoch of each in turn with a supervised one."""
    supervised = epoch_of({"type": "supervised"}, corpus, device)
    for name, options in TRAINERS_COMPARED.items():
        adversarial = epoch_of(options, corpus, device)
        # Once before it counts: a GPU records its steps.
        adversarial(), supervised()
        us = them = float("inf")
        for _ in range(times):
            us, them = min(us, seconds(adversarial)), min(them, seconds(supervised))
        promise = f"≤ {AT_MOST:g}× a supervised epoch"
        yield Result(f"{name}, an epoch of {what}", us, them, promise, us <= AT_MOST * them)


def planted() -> Corpus:
    """Generate texts, where there are no others."""
    reader = READERS.bind(READERS.spec({"type": "planted", "sizes": (1000, 100, 100)}))
    return build_corpus(reader, DataFolder(Path("nowhere")))


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Compare on planted texts, and on those of SST."""
    yield from compared(planted(), "1,000 planted texts", CPU)
    if data is not None:
        yield from compared(corpus_of("sst", data, 2000), "2,000 sentences of SST", CPU)
