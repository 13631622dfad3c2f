"""The stages of an experiment, and how they depend on each other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import torch

from attex.analyses.analysis import ANALYSED, ANALYSES, PERMUTED, UNTRAINED, VARIANTS, Analysis, Subject
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
from attex.models.classifier import AttentionModel
from attex.models.encoder import ENCODERS, Encoder
from attex.models.imposed import PermutedAttention
from attex.runner.assembly import assemble, load_model
from attex.runner.evidence import Piece, gather, read_scores, write_result
from attex.runner.plugins import plugin_digests
from attex.runner.stage import Stage
from attex.training.metrics import classification_metrics
from attex.training.prediction import predict
from attex.training.trainer import TRAINERS, Trainer

UNTIL = ("corpus", "training", "importance", "findings", "analyses", "report")
"""Where `--until` can stop."""


@dataclass(frozen=True)
class SeedStages:
    """What is computed for one seed.

    `controls` are the measures of each variant of its model, `findings` what analyses examined.
    """

    training: Stage
    predictions: Stage
    importance: dict[str, Stage]
    controls: dict[str, dict[str, Stage]]
    findings: dict[str, Stage]


class Plan:
    """All stages of one experiment; making a plan reads configuration and raw files' hashes only."""

    def __init__(self, config: ExperimentConfig, folder: DataFolder, device: torch.device) -> None:
        self.config = config
        self.files: dict[str, str] = {}
        self._device = device
        self._data = folder
        self._reader: Reader = READERS.bind(config.data)
        self._trainer: Trainer = TRAINERS.bind(config.trainer)
        self._specs = {"performance": ANALYSES.spec("performance")} | {
            s.type: s for s in config.analyses
        }
        self.methods: dict[str, Analysis] = {n: ANALYSES.bind(s) for n, s in self._specs.items()}
        self._plugins = plugin_digests(config.imports)
        self.measures = tuple(measure.title for measure in config.importance)
        encoder = cast(type[Encoder], ENCODERS[config.model.encoder.type].target)
        self._variants = {name: m.requires(self.measures, encoder) for name, m in self.methods.items()}
        self.corpus = self._corpus()
        self.vectors = self._vectors()
        self.seeds = {seed: self._seed(seed) for seed in config.seeds}
        self.analyses = {name: self._analysis(name) for name in self.methods}

    def stages(self, until: str = "report") -> list[Stage]:
        """Return the stages to obtain, in order, up to one of `UNTIL`."""
        upto = UNTIL.index(until)
        found = [self.corpus] if self.vectors is None else [self.corpus, self.vectors]
        for seed in self.seeds.values() if upto >= 1 else ():
            found += [seed.training, seed.predictions]
            for scores in (seed.importance, *seed.controls.values()) if upto >= 2 else ():
                found += scores.values()
            found += seed.findings.values() if upto >= 3 else ()
        return found + (list(self.analyses.values()) if upto >= 4 else [])

    def check(self, corpus: Corpus) -> None:
        """Raise `UserError` where the model cannot be built, or an analysis not done, on this corpus."""
        with torch.device("meta"):
            assemble(self.config.model, corpus, seed=0)
        self._trainer.check(corpus)
        for analysis in self.methods.values():
            analysis.check(corpus, self.measures)

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

        settings = {"data": self.config.data.settings(), "files": sorted(self.files.values())}
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

    def pieces(self) -> dict[Piece, Stage]:
        """Return the predictions and scores of every seed."""
        return {piece: s for n, seed in self.seeds.items() for piece, s in _scores(n, seed).items()}

    def _seed(self, seed: int) -> SeedStages:
        training = self._training(seed)

        def scores(variant: str | None) -> dict[str, Stage]:
            return {
                m.title: self._importance(m, seed, training, variant) for m in self.config.importance
            }

        wanted = {variant for needed in self._variants.values() for variant in needed}
        controls = {variant: scores(variant) for variant in VARIANTS if variant in wanted}
        predictions, importance = self._predictions(seed, training), scores(None)
        stages = SeedStages(training, predictions, importance, controls, {})
        for name, method in self.methods.items():
            if method.examines:
                stages.findings[name] = self._findings(name, seed, stages)
        return stages

    def _findings(self, name: str, seed: int, stages: SeedStages) -> Stage:
        pieces = _scores(seed, stages) if self.methods[name].examines_scores else {}
        for variant in self._variants[name]:
            pieces |= {Piece(seed, m, variant): s for m, s in stages.controls[variant].items()}

        def make(folder: Path, inputs: Sequence[Path]) -> None:
            corpus, weights = Corpus.load(inputs[0]), inputs[1] / "model.safetensors"
            folders, vectors = dict(zip(pieces, inputs[2:], strict=False)), inputs[2 + len(pieces) :]
            subject = Subject(
                corpus,
                self._device,
                read_scores(folders, seed),
                {variant: read_scores(folders, seed, variant) for variant in self._variants[name]},
                lambda: load_model(self.config.model, corpus, weights, self._device),
            )
            if self.methods[name].examines_untrained:
                # Only then are the vectors that such a model starts from among the inputs.
                untrained = self._fresh_model(corpus, vectors, seed).eval()
                subject = replace(subject, load_untrained=lambda: untrained)
            found = self.methods[name].examine(subject)
            write_tensors(folder / "findings.safetensors", {k: x.cpu() for k, x in found.items()})

        spec = self._specs[name]
        settings = {"analysis": spec.settings()} | self._plugins
        inputs = (self.corpus, stages.training, *pieces.values())
        if self.methods[name].examines_untrained and self.vectors is not None:
            inputs += (self.vectors,)
        return Stage("findings", f"{name}, seed {seed}", 1, settings, inputs, make)

    def _training(self, seed: int) -> Stage:
        config = self.config

        def make(folder: Path, inputs: Sequence[Path]) -> None:
            corpus = Corpus.load(inputs[0])
            model = self._fresh_model(corpus, inputs[1:], seed)
            checkpoint = folder / "checkpoint.safetensors"
            progress = self._trainer.fit(model, corpus, seed, checkpoint, self._device)
            write_tensors(folder / "model.safetensors", model.state_dict())
            history = {"best_epoch": progress.best_epoch, "epochs": progress.history}
            write_json(folder / "history.json", history)
            checkpoint.unlink(missing_ok=True)

        settings: dict[str, Any] = {
            "model": config.model.model_dump(),
            "trainer": config.trainer.settings(),
            "seed": seed,
        }
        inputs = (self.corpus,) if self.vectors is None else (self.corpus, self.vectors)
        title = f"{config.name}, seed {seed}"
        return Stage("training", title, 1, settings | self._plugins, inputs, make)

    def _fresh_model(self, corpus: Corpus, vectors: Sequence[Path], seed: int) -> AttentionModel:
        pretrained = None
        for folder in vectors:
            pretrained = read_tensors(folder / "vectors.safetensors")[0]["matrix"]
        return assemble(self.config.model, corpus, seed, pretrained).to(self._device)

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

    def _importance(self, measure: Spec, seed: int, training: Stage, variant: str | None) -> Stage:
        title = f"{measure.title}, seed {seed}" + (f", {variant}" if variant else "")

        def make(folder: Path, inputs: Sequence[Path]) -> None:
            corpus = Corpus.load(inputs[0])
            texts = Batcher(corpus, ANALYSED, self._device)
            if variant == UNTRAINED:
                model = self._fresh_model(corpus, inputs[1:], seed)
            else:
                weights = inputs[1] / "model.safetensors"
                model = load_model(self.config.model, corpus, weights, self._device)
            if variant == PERMUTED:
                model = PermutedAttention(model, seed)
            scores = score_texts(model, MEASURES.bind(measure), texts, folder, title)
            write_tensors(folder / "scores.safetensors", {"scores": scores})
            for piece in folder.glob("piece-*"):
                piece.unlink()

        settings = {"measure": measure.settings()} | self._plugins
        inputs: tuple[Stage, ...] = (self.corpus, training)
        if variant is not None:
            settings |= {"variant": variant, "seed": seed}
        if variant == UNTRAINED:
            # Nothing of the training goes in, so nothing of it may change the key.
            settings["model"] = self.config.model.model_dump()
            inputs = training.inputs
        return Stage("importance", title, 2, settings, inputs, make)

    def _analysis(self, name: str) -> Stage:
        method = self.methods[name]
        pieces = {Piece(number): seed.predictions for number, seed in self.seeds.items()}
        if method.reads_scores:
            pieces |= self.pieces()
        if method.examines:
            found = {Piece(n, analysis=name): seed.findings[name] for n, seed in self.seeds.items()}
            pieces |= found

        def make(folder: Path, inputs: Sequence[Path]) -> None:
            corpus = Corpus.load(inputs[0])
            folders = dict(zip(pieces, inputs[1:], strict=True))
            evidence = gather(self.about(), corpus, self.measures, folders)
            write_result(folder, self.methods[name](evidence))

        spec = self._specs[name]
        settings = {"analysis": spec.settings(), "about": self.about()} | self._plugins
        return Stage("analysis", spec.title, 3, settings, (self.corpus, *pieces.values()), make)


def _scores(number: int, seed: SeedStages) -> dict[Piece, Stage]:
    measured = {Piece(number, measure): stage for measure, stage in seed.importance.items()}
    return {Piece(number): seed.predictions} | measured
