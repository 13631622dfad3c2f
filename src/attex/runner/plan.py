"""The stages of an experiment, and how they depend on each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from attex.analyses.analysis import ANALYSED, ANALYSES, Analysis
from attex.config.schema import ExperimentConfig
from attex.data.batch import Batcher
from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS, Reader
from attex.data.vectors import PUBLISHERS, read_vectors
from attex.foundations.progress import say
from attex.foundations.registry import Spec
from attex.foundations.storage import digest_file, read_tensors, write_json, write_tensors
from attex.importance.measure import MEASURES
from attex.importance.scoring import score_texts
from attex.runner.assembly import assemble, load_model
from attex.runner.evidence import gather, write_result
from attex.runner.plugins import plugin_digests
from attex.runner.stage import Stage
from attex.training.metrics import classification_metrics
from attex.training.prediction import predict
from attex.training.trainer import TRAINERS, Trainer

UNTIL = ("corpus", "training", "importance", "analyses", "report")
"""Where `--until` can stop."""


@dataclass(frozen=True)
class SeedStages:
    """What is computed for one seed."""

    training: Stage
    predictions: Stage
    importance: dict[str, Stage]


class Plan:
    """All stages of one experiment; making a plan reads configuration and raw files' hashes only."""

    def __init__(self, config: ExperimentConfig, folder: DataFolder, device: torch.device) -> None:
        self.config = config
        self.files: dict[str, str] = {}
        self._device = device
        self._data = folder
        self._reader: Reader = READERS.bind(config.data)
        self._trainer: Trainer = TRAINERS.bind(config.trainer)
        asked = {"performance": ANALYSES.spec("performance")} | {s.type: s for s in config.analyses}
        self.methods: dict[str, Analysis] = {name: ANALYSES.bind(s) for name, s in asked.items()}
        self._plugins = plugin_digests(config.imports)
        self.corpus = self._corpus()
        self.vectors = self._vectors()
        self.seeds = {seed: self._seed(seed) for seed in config.seeds}
        self.analyses = {name: self._analysis(spec) for name, spec in asked.items()}

    def stages(self, until: str = "report") -> list[Stage]:
        """Return the stages to obtain, in order, up to one of `UNTIL`."""
        upto = UNTIL.index(until)
        found = [self.corpus] if self.vectors is None else [self.corpus, self.vectors]
        for seed in self.seeds.values() if upto >= 1 else ():
            found += [seed.training, seed.predictions]
            found += seed.importance.values() if upto >= 2 else ()
        return found + (list(self.analyses.values()) if upto >= 3 else [])

    def check(self, corpus: Corpus) -> None:
        """Raise `UserError` where the model cannot be built, or an analysis not done, on this corpus."""
        with torch.device("meta"):
            assemble(self.config.model, corpus, seed=0)
        self._trainer.check(corpus)
        measures = [measure.title for measure in self.config.importance]
        for analysis in self.methods.values():
            analysis.check(corpus, measures)

    def about(self) -> dict[str, str]:
        """The columns that identify the experiment in every table."""
        attention = self.config.model.attention
        options = attention.options()
        return {
            "experiment": self.config.name,
            "dataset": self.config.data.type,
            "encoder": self.config.model.encoder.type,
            "attention": attention.type,
            "projection": options["projection"].title if "projection" in options else "none",
        }

    def _corpus(self) -> Stage:
        self.files |= {str(path): digest_file(path) for path in self._reader.files(self._data)}

        def make(folder: Path, inputs: Sequence[Path]) -> None:
            corpus = build_corpus(self._reader, self._data)
            corpus.save(folder)
            kept = " / ".join(f"{n:,}" for n in corpus.facts["kept"].values())
            say(f"  kept {kept} texts (train / dev / test), {corpus.vocabulary_size:,} words")

        settings = {"data": self.config.data.model_dump(), "files": sorted(self.files.values())}
        return Stage("corpus", self.config.data.title, 1, settings | self._plugins, (), make)

    def _vectors(self) -> Stage | None:
        if self.config.vectors is None:
            return None
        path = self._data.own_file(self.config.vectors, PUBLISHERS)
        self.files[str(path)] = digest_file(path)
        width = self.config.model.embedding_width

        def make(folder: Path, inputs: Sequence[Path]) -> None:
            vectors = read_vectors(path, Corpus.load(inputs[0]).vocabulary, width)
            write_tensors(folder / "vectors.safetensors", {"matrix": vectors.matrix})
            write_json(folder / "coverage.json", {"coverage": vectors.coverage})
            say(f"  {vectors.coverage:.1%} of the vocabulary has a vector")

        settings = {"file": self.files[str(path)], "width": width}
        return Stage("vectors", path.name, 1, settings, (self.corpus,), make)

    def _seed(self, seed: int) -> SeedStages:
        training = self._training(seed)
        importance = {
            measure.title: self._importance(measure, seed, training)
            for measure in self.config.importance
        }
        return SeedStages(training, self._predictions(seed, training), importance)

    def _training(self, seed: int) -> Stage:
        config = self.config

        def make(folder: Path, inputs: Sequence[Path]) -> None:
            corpus = Corpus.load(inputs[0])
            pretrained = None
            if len(inputs) > 1:
                pretrained = read_tensors(inputs[1] / "vectors.safetensors")[0]["matrix"]
            model = assemble(config.model, corpus, seed, pretrained).to(self._device)
            checkpoint = folder / "checkpoint.safetensors"
            progress = self._trainer.fit(model, corpus, seed, checkpoint, self._device)
            write_tensors(folder / "model.safetensors", model.state_dict())
            history = {"best_epoch": progress.best_epoch, "epochs": progress.history}
            write_json(folder / "history.json", history)
            checkpoint.unlink(missing_ok=True)

        settings: dict[str, Any] = {
            "model": config.model.model_dump(),
            "trainer": config.trainer.model_dump(),
            "seed": seed,
        }
        inputs = (self.corpus,) if self.vectors is None else (self.corpus, self.vectors)
        title = f"{config.name}, seed {seed}"
        return Stage("training", title, 1, settings | self._plugins, inputs, make)

    def _predictions(self, seed: int, training: Stage) -> Stage:
        def make(folder: Path, inputs: Sequence[Path]) -> None:
            corpus = Corpus.load(inputs[0])
            weights = inputs[1] / "model.safetensors"
            model = load_model(self.config.model, corpus, weights, self._device)
            logits = predict(model, Batcher(corpus, ANALYSED, self._device))
            write_tensors(folder / "logits.safetensors", {"logits": logits})
            scores = classification_metrics(logits, corpus.splits[ANALYSED].labels)
            write_json(folder / "metrics.json", scores)
            say(f"  {ANALYSED} accuracy {scores['accuracy']:.4f}")

        title = f"{self.config.name}, seed {seed}"
        return Stage("predictions", title, 1, {}, (self.corpus, training), make)

    def _importance(self, measure: Spec, seed: int, training: Stage) -> Stage:
        title = f"{measure.title}, seed {seed}"

        def make(folder: Path, inputs: Sequence[Path]) -> None:
            corpus = Corpus.load(inputs[0])
            weights = inputs[1] / "model.safetensors"
            model = load_model(self.config.model, corpus, weights, self._device)
            texts = Batcher(corpus, ANALYSED, self._device)
            scores = score_texts(model, MEASURES.bind(measure), texts, folder, title)
            write_tensors(folder / "scores.safetensors", {"scores": scores})
            for piece in folder.glob("piece-*"):
                piece.unlink()

        settings = {"measure": measure.model_dump()} | self._plugins
        return Stage("importance", title, 2, settings, (self.corpus, training), make)

    def _analysis(self, spec: Spec) -> Stage:
        pieces = [
            s for seed in self.seeds.values() for s in (seed.predictions, *seed.importance.values())
        ]
        measures = tuple(measure.title for measure in self.config.importance)

        def make(folder: Path, inputs: Sequence[Path]) -> None:
            corpus = Corpus.load(inputs[0])
            evidence = gather(self.about(), corpus, self.config.seeds, measures, inputs[1:])
            write_result(folder, self.methods[spec.type](evidence))

        settings = {"analysis": spec.model_dump(), "about": self.about()} | self._plugins
        return Stage("analysis", spec.title, 1, settings, (self.corpus, *pieces), make)
