"""How long the work ahead takes: measured on small batches, and told before it begins."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from attex.data.batch import Batcher, like_batches, padded_sizes
from attex.data.corpus import Corpus
from attex.data.subwords import in_pieces
from attex.foundations.progress import duration, say
from attex.foundations.registry import Spec
from attex.importance.measure import MEASURES, Measure, growth, made
from attex.importance.scoring import PIECE_TOKENS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.models.pretrained_folder import WordCutter
from attex.runner.engine import Engine
from attex.runner.kept import corpus_in
from attex.runner.plan import Plan
from attex.runner.task import Task
from attex.training.trainer import TRAINERS, Trainer

WORTH_TELLING = 30.0
"""Seconds from which on work is long."""
MEASURING = 3.0
"""Seconds that measuring may take, of all experiments of a command together."""
_LONG_ENOUGH = 0.1
"""Seconds of a measured batch that say something."""
_FIRST_LENGTH, _SEVERAL = 16, 4
_NAMED = 0.05
"""A share of the time that is worth a word."""
_FEW, _COUNTS = 0.02, (1, 2, 3, 5, 10, 20, 50, 100, 200, 500)
"""A share of the texts that one may well leave out, and how many are tried."""


@dataclass(frozen=True)
class Pace:
    """Seconds of a batch of B texts, padded to T tokens: each · B · T^power + step · T."""

    step: float
    each: float
    power: int

    def seconds(self, lengths: np.ndarray, tokens: int) -> float:
        """Add up what all texts take, cut as they will be cut."""
        batches = like_batches(lengths, tokens)
        steps = sum(float(lengths[chosen].max()) for chosen in batches)
        return self.step * steps + self.each * sum(padded_sizes(lengths, batches, self.power))


class Estimates:
    """Measures what tasks take, on untrained models; stops when measuring itself would take long."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._until = time.monotonic() + MEASURING
        self._known: dict[tuple[str, ...], Pace | float | None] = {}

    def tell(self, plan: Plan, tasks: Sequence[Task], split: str) -> None:
        """Say what the trainings and measures of an experiment take, if that is long."""
        if not self._can_measure() or not tasks:
            return
        corpus = corpus_in(self._engine.workspace.cache.folder(plan.whole))
        before = torch.get_num_threads()
        torch.set_num_threads(self._engine.threads)
        try:
            # What a training draws must not depend on whether it was measured before.
            with torch.random.fork_rng(devices=[]):
                if plan.architecture.path is not None:
                    corpus = in_pieces(corpus, WordCutter(Path(plan.architecture.path)))
                lines = [*self._lines(plan, corpus, tasks, split)]
        except Exception:
            # What cannot be measured can perhaps not be computed: its own stage will say so.
            lines = []
        finally:
            torch.set_num_threads(before)
        for line in lines:
            say(f"{plan.config.name}: {line}")

    def _can_measure(self) -> bool:
        """Only where this process sees what tasks will see: this machine, a device that is free."""
        engine = self._engine
        here = engine.workspace.asked_device is None
        alone = engine.workspace.device.type == "cpu" or engine.jobs == 1
        return here and alone and time.monotonic() < self._until

    def _lines(self, plan: Plan, corpus: Corpus, tasks: Sequence[Task], split: str) -> Iterator[str]:
        device = self._engine.workspace.device
        model = assemble(plan.config.model, corpus.vocabulary_size, len(corpus.classes), seed=0)
        model = model.to(device)
        texts = Batcher(corpus, split, device)
        parts: dict[str, float] = {}
        trainings = sum(task.stage.kind == "training" for task in tasks)
        if trainings:
            seconds = self._training(plan, corpus, model)
            if seconds is not None:
                parts["training"] = seconds * trainings
        paces: dict[str, tuple[Pace, int]] = {}
        for measure in plan.measures:
            count = sum(_is_of(task, measure, split) for task in tasks)
            pace = self._measure(plan, measure, model, corpus, texts) if count else None
            if pace is not None:
                paces[measure.title] = pace, count
                parts[measure.title] = pace.seconds(texts.lengths, _tokens(device, model)) * count
        total = sum(parts.values())
        if total < WORTH_TELLING:
            return
        yield _sentence(parts, len(plan.seeds), self._engine.jobs, any(map(_is_finding, tasks)))
        for title, (pace, count) in paces.items():
            yield from _outliers(title, pace, count, texts, _tokens(device, model))

    def _training(self, plan: Plan, corpus: Corpus, model: AttentionModel) -> float | None:
        trainer: Trainer = TRAINERS.bind(plan.config.trainer)
        key = ("training", plan.whole.key, str(plan.config.model), str(plan.config.trainer))
        if key not in self._known:
            self._known[key] = trainer.estimate(
                model, corpus, self._engine.workspace.device, WORTH_TELLING / 2
            )
        found = self._known[key]
        assert not isinstance(found, Pace)
        return found

    def _measure(
        self, plan: Plan, measure: Spec, model: AttentionModel, corpus: Corpus, texts: Batcher
    ) -> Pace | None:
        key = ("measure", plan.whole.key, str(plan.config.model), str(measure))
        if key not in self._known and time.monotonic() < self._until:
            power = growth(measure, model.encoder)
            self._known[key] = measured(made(measure, corpus), model.eval(), texts, power)
        found = self._known.get(key)
        assert not isinstance(found, float)
        return found


def measured(measure: Measure, model: AttentionModel, texts: Batcher, power: int) -> Pace | None:
    """Time a measure on the beginnings of texts; None where all of them cannot take long."""

    def timed(count: int, length: int) -> float:
        longest = np.argsort(-texts.lengths, kind="stable")[:count]
        batch = texts.batch(np.resize(longest, count))
        kept = torch.arange(batch.tokens.shape[1], device=batch.tokens.device) < length
        batch = batch.keeping(kept.expand_as(batch.mask))
        began = time.perf_counter()
        measure(model, batch).cpu()
        return time.perf_counter() - began

    length, most = min(_FIRST_LENGTH, int(texts.lengths.max())), int(texts.lengths.max())
    timed(1, length)
    seconds = timed(1, length)
    # One text at a time is slower than many: if even that is quick, nothing is long.
    ratios = np.maximum(texts.lengths / length, 1.0)
    if seconds * float((ratios**power).sum()) < WORTH_TELLING / 4:
        return None
    while seconds < _LONG_ENOUGH and length < most:
        length = min(2 * length, most)
        seconds = timed(1, length)
    several = timed(_SEVERAL, length)
    each = max(several - seconds, 0.1 * seconds) / ((_SEVERAL - 1) * length**power)
    return Pace(max(seconds - each * length**power, 0.0) / length, each, power)


def _tokens(device: torch.device, model: AttentionModel) -> int:
    return PIECE_TOKENS[device.type] // model.encoder.memory_factor


def _is_of(task: Task, measure: Spec, split: str) -> bool:
    settings = task.stage.settings
    if task.stage.kind != "importance" or settings["split"] != split:
        return False
    return MEASURES.spec(settings["measure"]).title == measure.title


def _is_finding(task: Task) -> bool:
    return task.stage.kind == "findings"


def _sentence(parts: Mapping[str, float], seeds: int, jobs: int, findings: bool) -> str:
    total = sum(parts.values())
    longest = sorted(parts.items(), key=lambda part: -part[1])
    named = [f"{name} {duration(seconds)}" for name, seconds in longest if seconds >= _NAMED * total]
    of = f"{seeds} seed{'s' * (seeds > 1)}"
    shared = f", shared by {jobs} processes" if jobs > 1 else ""
    then = "; what analyses examine comes on top" if findings else ""
    return f"about {duration(total)} of work for {of}{shared} ({', '.join(named)}){then}"


def _outliers(title: str, pace: Pace, count: int, texts: Batcher, tokens: int) -> Iterator[str]:
    """Name the few texts that a measure spends most of its time on, if there are such."""
    lengths = np.sort(texts.lengths)
    words = np.sort(texts.words)
    whole = pace.seconds(lengths, tokens)
    most = min(int(_FEW * len(lengths)), len(lengths) - 1)
    for few in (n for n in _COUNTS if n == 1 < len(lengths) or n <= most):
        saved = (whole - pace.seconds(lengths[:-few], tokens)) * count
        if saved > max(whole * count / 3, WORTH_TELLING / 2):
            next_longest, shortest, longest = (
                f"{int(words[place]):,}" for place in (-few - 1, -few, -1)
            )
            which = "one text" if few == 1 else f"{few} texts"
            tokens_each = longest if shortest == longest else f"{shortest} to {longest}"
            yield (
                f"{duration(saved)} of {title} is for {which} of {tokens_each} tokens, which "
                f"data.max_tokens would leave out (the next longest has {next_longest})"
            )
            return
