"""The stages of an experiment, and how they depend on each other."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from attex.analyses.analysis import ANALYSED, ANALYSES, UNTRAINED, VARIANTS, Analysis
from attex.config.loading import validate
from attex.config.schema import ExperimentConfig
from attex.data.corpus import Corpus
from attex.data.reader import READERS, Reader, dataset_name
from attex.data.vectors import PUBLISHERS
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec, did_you_mean
from attex.importance.measure import check_needs
from attex.models.architecture import MODELS, Architecture
from attex.models.assembly import check_queries, without_numbers
from attex.models.classifier import AttentionModel
from attex.runner.dependencies import plugin_digests, version_of
from attex.runner.evidence import findings_of, predictions_of, scores_of
from attex.runner.masking import check_masking, masked_corpus, scoring_experiment
from attex.runner.pretrained import check_pretrained, corpus_in_pieces, located, made_of
from attex.runner.seed_stages import SeedStages
from attex.runner.stage import Stage
from attex.runner.stages.analysis import AnalysisStage
from attex.runner.stages.corpus import CorpusStage
from attex.runner.stages.explored import ExploredStage
from attex.runner.stages.figures import FiguresStage
from attex.runner.stages.findings import FindingsStage
from attex.runner.stages.importance import ImportanceStage
from attex.runner.stages.predictions import PredictionsStage
from attex.runner.stages.training import TrainingStage
from attex.runner.stages.vectors import VectorsStage
from attex.runner.workspace import Workspace
from attex.training.trainer import TRAINERS, Trainer

UNTIL = ("corpus", "training", "importance", "findings", "analyses", "report")
"""Where `--until` can stop."""


def check_until(until: str) -> None:
    """Refuse a place where nothing stops."""
    if until not in UNTIL:
        near = did_you_mean(until, UNTIL)
        raise UserError(f"--until {until}: expected one of {', '.join(UNTIL)}{near}")


class Plan:
    """All stages of one experiment; making a plan reads configuration and raw files' hashes only.

    `left_out` are analyses that have nothing to say of this corpus or model, with the reason. `whole`
    is the corpus as it was read, on which all is checked; the models' `corpus` has some of its tokens
    masked, if the experiment says so, or is the one given, that of the experiment around this one. It
    is in pieces of words where the model reads those; `words` is the same before.
    """

    def __init__(
        self,
        config: ExperimentConfig,
        workspace: Workspace,
        left_out: Mapping[str, str] | None = None,
        corpus: Stage | None = None,
    ) -> None:
        self._data = replace(workspace.data, beside=config.folder)
        self.config = config = located(config, self._data.places())
        self.left_out = dict(left_out or {})
        self.files: dict[str, str] = {}
        self._workspace = workspace
        self.trainer: Trainer = TRAINERS.bind(config.trainer)
        asked = (ANALYSES.spec("performance"), *config.analyses)
        self._specs = {spec.type: spec for spec in asked if spec.type not in self.left_out}
        self.methods: dict[str, Analysis] = {n: ANALYSES.bind(s) for n, s in self._specs.items()}
        self._plugins = plugin_digests(config.imports)
        self.measures = config.importance
        self.architecture: Architecture = MODELS.bind(config.model)
        encoder = self.architecture.encoder_class
        self._variants = {name: m.requires(self.measures, encoder) for name, m in self.methods.items()}
        self.whole = self._corpus()
        self.scored_by = self._scored_by() if corpus is None else None
        self.pretrained = made_of(self.architecture.path, workspace.digest_raw)
        self.files |= {f"{self.architecture.path}/{name}": d for name, d in self.pretrained.items()}
        self.words = corpus or masked_corpus(self)
        self.corpus = corpus or corpus_in_pieces(self.words, self.architecture.path, self.pretrained)
        self.vectors = self._vectors()
        self._shared = {"corpus": self.corpus} | ({"vectors": self.vectors} if self.vectors else {})
        self._sources = self._plans_of(self.trainer.sources())
        self._compared = self._plans_of(self.trainer.compared(), several=True)
        self.seeds = {seed: self._seed(seed) for seed in config.seeds}
        self.analyses = {name: self._analysis(name) for name in self.methods}
        self.figures = {name: self._figures(name) for name in self.methods}

    def stages(self, until: str = "report") -> list[Stage]:
        """Return the stages to obtain, each after what it needs, up to one of `UNTIL`."""
        upto = UNTIL.index(until)
        wanted = [self.corpus] if self.vectors is None else [self.corpus, self.vectors]
        for seed in self.seeds.values() if upto >= 1 else ():
            wanted += [seed.training, seed.predictions]
            for scores in (seed.importance, *seed.controls.values()) if upto >= 2 else ():
                wanted += scores.values()
            wanted += seed.findings.values() if upto >= 3 else ()
        wanted += self.analyses.values() if upto >= 4 else ()
        wanted += self.figures.values() if upto >= 5 else ()
        wanted += [seed.explored for seed in self.seeds.values()] if upto >= 5 else []
        # What a source's training needs is not among those of this experiment.
        known: set[str] = set()
        return [needed for stage in wanted for needed in stage.and_before(known)]

    def check(self, corpus: Corpus) -> dict[str, str]:
        """Raise `UserError` where the experiment cannot be done on this corpus and must be mended.

        Returns the analyses, or parts of them, that have nothing to say of this corpus or model, with
        the reasons.
        """
        model = self._model_of(corpus)
        check_queries(model, corpus)
        check_pretrained(self, corpus)
        for measure in self.measures:
            check_needs(measure, model)
        self.trainer.check(corpus)
        sources = {name: plan.config.model for name, plan in self._sources.items()}
        self.trainer.check_models(self.config.model, sources)
        for name, plan in (self._sources | self._compared).items():
            try:
                plan.check(corpus)
            except UserError as problem:
                raise UserError(f"trainer.{name}: {problem}") from None
        check_masking(self, corpus)
        lacking = {}
        for name, analysis in self.methods.items():
            reason = analysis.lacks(model, corpus)
            if reason is not None:
                lacking[name] = reason
            else:
                analysis.check(corpus, self.measures)
                parts = analysis.lacks_parts(model, corpus)
                lacking |= {f"{name} ({part})": why for part, why in parts.items()}
        return lacking

    def check_measure(self, measure: Spec, corpus: Corpus) -> None:
        """Raise `UserError` if the models cannot have a measure that others want of them."""
        check_needs(measure, self._model_of(corpus))

    def _model_of(self, corpus: Corpus) -> AttentionModel:
        """Return a model with shapes and no weights."""
        return without_numbers(self.config.model, corpus.vocabulary_size, len(corpus.classes))

    def about(self) -> dict[str, str]:
        """The columns that identify the experiment in every table."""
        dataset, masked = dataset_name(self.config.data), self.config.masked
        texts = f"{dataset}, {masked.words}" if masked else dataset
        about = {"experiment": self.config.name, "dataset": texts}
        return about | self.architecture.about()

    def wants(self, variant: str) -> bool:
        """Say whether an analysis has a variant of every model as a control."""
        return any(variant in wanted for wanted in self._variants.values())

    def offers(self) -> frozenset[str]:
        """Name the quantities about all texts that every model will have."""
        encoder = self.architecture.encoder_class
        offered = (method.offers(self.measures, encoder) for method in self.methods.values())
        return frozenset(name for names in offered for name in names)

    def evidence(self) -> dict[str, Stage]:
        """Return the predictions and scores of every seed, by their names as inputs."""
        pieces = {predictions_of(n): seed.predictions for n, seed in self.seeds.items()}
        for number, seed in self.seeds.items():
            pieces |= {scores_of(m, seed=number): stage for m, stage in seed.importance.items()}
        return pieces

    def importance_of(self, measure: Spec, seed: int, split: str) -> Stage:
        """Return the scores of a measure on any split, by the model of a seed."""
        return self._importance(measure, seed, self.seeds[seed].training, None, split)

    def _corpus(self) -> Stage:
        reader: Reader = READERS.bind(self.config.data)
        digest = self._workspace.digest_raw
        self.files |= {str(path): digest(path) for path in reader.files(self._data)}
        settings = {"data": self.config.data, "files": sorted(self.files.values())}
        folder = self.config.folder
        place = {"beside": None if folder is None else str(folder.absolute())}
        return CorpusStage.planned(self.config.data.title, settings | self._plugins, unkeyed=place)

    def _vectors(self) -> Stage | None:
        if self.config.vectors is None:
            return None
        path = self._data.own_file(self.config.vectors.path, PUBLISHERS)
        self.files[str(path)] = self._workspace.digest_raw(path)
        changes = self.config.vectors.settings()
        title = ", ".join([path.name, *(f"{name} {value}" for name, value in changes.items())])
        settings = {"file": self.files[str(path)], "width": self.architecture.embedding_width}
        place = {"path": str(path.absolute())}
        return VectorsStage.planned(title, settings | changes, {"corpus": self.whole}, place)

    def _plans_of(
        self, experiments: Mapping[str, Mapping[str, Any]], several: bool = False
    ) -> dict[str, "Plan"]:
        """Plan experiments inside the trainer's options, whose models are needed: on the same corpus.

        Where such an experiment does not say otherwise, it is like this one. It has our seeds, or one of
        its own whose model serves all of ours; where there may be `several`, all of them do.
        """
        plans, own = {}, self.config.resolved()
        for name, fields in experiments.items():
            where = f"trainer.{name}"
            alike = {key: own[key] for key in ("imports", "data", "vectors", "model", "seeds")}
            fixed: dict[str, Any] = {"importance": [], "analyses": []}
            whole = alike | {"name": f"{self.config.name}.{name}"} | dict(fields) | fixed
            source = validate(whole, origin=where, folder=self.config.folder)
            if "seeds" in fields and len(source.seeds) > 1 and not several:
                raise UserError(f"{where}.seeds: expected one, whose model serves all of our seeds")
            plan = Plan(source, self._workspace, corpus=self.corpus)
            if plan.whole.key != self.whole.key or source.masked is not None:
                raise UserError(f"{where}: its data must be that of the experiment")
            if plan.pretrained != self.pretrained:
                raise UserError(f"{where}: its model must read texts as that of the experiment does")
            self.files |= plan.files
            plans[name] = plan
        return plans

    def _scored_by(self) -> "Plan | None":
        """Plan the experiment whose model says which tokens are masked, if one does."""
        scoring = scoring_experiment(self.config)
        if scoring is None:
            return None
        plan = Plan(scoring, self._workspace)
        if plan.whole.key != self.whole.key:
            raise UserError("masked.model: its data must be that of the experiment")
        return plan

    def at(self, seed: int) -> SeedStages:
        """Return what is computed for a seed; for any, where there is but one."""
        (first, *others) = self.seeds.values()
        return self.seeds[seed] if others else first

    def _seed(self, seed: int) -> SeedStages:
        training = self._training(seed)

        def scores(variant: str | None) -> dict[str, Stage]:
            return {
                m.title: self._importance(m, seed, training, variant) for m in self.config.importance
            }

        wanted = {variant for needed in self._variants.values() for variant in needed}
        controls = {variant: scores(variant) for variant in VARIANTS if variant in wanted}
        predictions = PredictionsStage.planned(
            self._title(seed),
            {"model": self.config.model},
            self._of_model(seed, training),
            unkeyed=self._trained_by(),
        )
        own = scores(None)
        explored = self._explored(seed, training, own)
        stages = SeedStages(training, predictions, own, controls, {}, explored)
        for name, method in self.methods.items():
            if method.examines:
                stages.findings[name] = self._findings(name, seed, stages)
        return stages

    def _title(self, seed: int) -> str:
        return f"{self.config.name}, seed {seed}"

    def _training(self, seed: int) -> Stage:
        settings = {"model": self.config.model, "seed": seed} | self._trained_by() | self._plugins
        inputs = self._shared | self._of_model(seed)
        return TrainingStage.planned(self._title(seed), settings, inputs)

    def _trained_by(self) -> dict[str, Any]:
        """Return who has trained a model, or wraps it, as settings: of a source the same, in turn."""
        sources = {name: plan._model() for name, plan in self._sources.items()}
        return {"trainer": self.config.trainer, "sources": sources}

    def _model(self) -> dict[str, Any]:
        return {"model": self.config.model} | self._trained_by()

    def every_source(self) -> dict[str, "Plan"]:
        """Return the sources, and theirs in turn, by names as `base` and `base.guide`."""
        plans: dict[str, Plan] = {}
        for name, plan in self._sources.items():
            within = plan.every_source().items()
            plans |= {name: plan} | {f"{name}.{inner}": one for inner, one in within}
        return plans

    def _of_model(self, seed: int, training: Stage | None = None) -> dict[str, Stage]:
        """Return what a seed's model is made of, as inputs: corpus, sources and training."""
        inputs = self._trainings(self.every_source(), seed)
        inputs |= {} if training is None else {"training": training}
        return {"corpus": self.corpus} | inputs

    def compared_with(self, seed: int) -> dict[str, Stage]:
        """Return the trainings of the models that a seed's is only compared with, as inputs."""
        inputs: dict[str, Stage] = {}
        for _, label, plan, number in self._beside(seed):
            within = {f"{label}.{inner}": one for inner, one in plan.every_source().items()}
            inputs |= self._trainings({label: plan} | within, number)
        return inputs

    def _beside(self, seed: int) -> Iterator[tuple[str, str, "Plan", int]]:
        """Yield what a seed's model is compared with: role, label, plan, and the seed in it."""
        own, said = self._training(seed).key, self.trainer.compared()
        for name, plan in self._compared.items():
            for number in plan.seeds if "seeds" in said[name] else (seed,):
                # Nothing is learned from a model beside itself.
                if plan.at(number).training.key != own:
                    yield name, f"{name} {number}", plan, number

    @staticmethod
    def _trainings(plans: Mapping[str, "Plan"], seed: int) -> dict[str, Stage]:
        return {f"source {name}": plan.at(seed).training for name, plan in plans.items()}

    def _importance(
        self, measure: Spec, seed: int, training: Stage, variant: str | None, split: str = ANALYSED
    ) -> Stage:
        settings: dict[str, Any] = {"measure": measure, "model": self.config.model, "split": split}
        inputs = self._of_model(seed, training)
        if variant is not None:
            settings |= {"variant": variant, "seed": seed}
        if variant == UNTRAINED:
            # Nothing of the training goes in, so nothing of it may change the key.
            inputs = self._shared | self._of_model(seed)
            # But a trainer that asks other models may have them in this one.
            settings |= self._trained_by() if self._sources else {}
        if self.architecture.encoder_class.position_wise:
            # Such an encoder's equal words were not always tied; what others' were given still holds.
            settings |= {"equal words": "tied"}
        title = f"{measure.title}, seed {seed}" + (f", {variant}" if variant else "")
        trained_by = self._trained_by()
        return ImportanceStage.planned(title, settings | self._plugins, inputs, unkeyed=trained_by)

    def _explored(self, seed: int, training: Stage, scores: Mapping[str, Stage]) -> Stage:
        inputs = self._of_model(seed, training)
        inputs |= {scores_of(m): stage for m, stage in scores.items()}
        titles, measures = self._measures()
        settings = {"model": self.config.model} | titles | self._plugins
        unkeyed = measures | self._trained_by()
        return ExploredStage.planned(self._title(seed), settings, inputs, unkeyed=unkeyed)

    def _findings(self, name: str, seed: int, stages: SeedStages) -> Stage:
        method, variants = self.methods[name], self._variants[name]
        inputs = self._of_model(seed, stages.training)
        if method.examines_scores:
            inputs |= {scores_of(m): stage for m, stage in stages.importance.items()}
        for variant in variants:
            scores = stages.controls[variant]
            inputs |= {scores_of(m, variant): stage for m, stage in scores.items()}
        if method.examines_untrained:
            inputs |= self._shared
        settings = {
            "analysis": self._specs[name],
            "model": self.config.model,
            "seed": seed,
            "variants": list(variants),
        }
        titles, measures = self._measures()
        if method.examines_scores or variants:
            settings |= titles
        unkeyed = measures | self._trained_by()
        if method.compares:
            inputs |= self.compared_with(seed)
            compared: dict[str, dict[str, Any]] = {role: {} for role in self._compared}
            for role, label, plan, _ in self._beside(seed):
                compared[role][label] = plan._model()
            unkeyed |= {"compared": compared}
        title = f"{name}, seed {seed}"
        return FindingsStage.planned(title, settings | self._plugins, inputs, unkeyed=unkeyed)

    def _analysis(self, name: str) -> Stage:
        method = self.methods[name]
        inputs = {predictions_of(number): seed.predictions for number, seed in self.seeds.items()}
        if method.reads_scores:
            inputs |= self.evidence()
        if method.examines:
            inputs |= {findings_of(n): seed.findings[name] for n, seed in self.seeds.items()}
        settings: dict[str, Any] = {
            "analysis": self._specs[name],
            "about": self.about(),
            "seeds": list(self.config.seeds),
        }
        titles, measures = self._measures()
        if method.reads_scores or (method.examines and method.examines_scores):
            settings |= titles
        return AnalysisStage.planned(
            self._specs[name].title,
            settings | self._plugins,
            {"corpus": self.corpus} | inputs,
            unkeyed=measures,
        )

    def _figures(self, name: str) -> Stage:
        settings = {"drawn_by": version_of("vl-convert-python")}
        return FiguresStage.planned(name, settings, {"analysis": self.analyses[name]})

    def _measures(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the titles of the measures, and the measures, as settings.

        The titles are keyed where scores are looked at, since their order counts. How the scores come
        about is in the keys of the inputs.
        """
        titles = [measure.title for measure in self.measures]
        return {"titles": titles}, {"measures": list(self.measures)}
