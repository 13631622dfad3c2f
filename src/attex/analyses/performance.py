"""How good the models are at their task."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import torch

from attex.analyses.analysis import ANALYSES, Analysis, Evidence, Headline, Result
from attex.analyses.quantity import Quantity, mean
from attex.analyses.summary import frame, seed_groups, summarise
from attex.analyses.views import View
from attex.foundations.divergences import distribution
from attex.foundations.registry import Spec
from attex.models.encoder import Encoder
from attex.training.metrics import class_f1, classification_metrics, precision_recall_area


@ANALYSES.register("performance")
class PerformanceAnalysis(Analysis):
    """Accuracy on the analysed split with its interval, macro F1 and ROC-AUC.

    Every experiment has this analysis, whether it asks for it or not.
    """

    title = "Performance"
    reads_scores = False
    explanation = (
        "Explanations of a model that cannot do its task explain nothing. The interval is a 95 % "
        "bootstrap over texts, and over seeds × texts for all seeds together; F1 and ROC-AUC of "
        "all seeds are means over them."
    )
    views: ClassVar = {
        "performance": View(("seed",), ("n", "accuracy", "low", "high", "f1", "roc_auc"), pooled=False)
    }

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name the scores of the predictions."""
        return ("accuracy", "confidence", "f1_macro", "roc_auc", "pr_auc")

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield the scores of the predictions, and how sure they are."""
        (seed,), labels = evidence.seeds, evidence.texts.labels
        outputs = distribution(seed.logits).numpy()
        yield mean("accuracy", (seed.predicted == labels.numpy()).astype(float))
        yield mean("confidence", outputs.max(axis=1))
        scores = classification_metrics(seed.logits, labels)
        yield Quantity("f1_macro", scores["f1"])
        yield Quantity("roc_auc", scores["roc_auc"])
        yield Quantity("pr_auc", precision_recall_area(seed.logits, labels))
        scores_of = dict(zip(evidence.corpus.classes, class_f1(seed.logits, labels), strict=True))
        for label in evidence.classes:
            yield Quantity("f1", scores_of[label], label)

    def __call__(self, evidence: Evidence) -> Result:
        """Score the predictions of every seed."""
        labels = evidence.texts.labels
        right = (evidence.predicted == labels.numpy()).astype(float)
        scores = [classification_metrics(seed.logits, labels) for seed in evidence.seeds]
        rows: list[dict[str, Any]] = []
        for seed, members in seed_groups(evidence.numbers):
            summary = summarise(right[members], np.ones_like(right[members], dtype=bool))
            row = {"seed": seed, "n": summary["n"], "accuracy": summary["mean"]}
            row |= {"low": summary["low"], "high": summary["high"]}
            means = {m: float(np.mean([scores[s][m] for s in members])) for m in ("f1", "roc_auc")}
            rows.append(evidence.about | row | means)
        commonest = float(torch.bincount(labels).max() / len(labels))
        headline = Headline(
            "How often is the model right?",
            "accuracy",
            rows[-1]["accuracy"],
            rows[-1]["low"],
            rows[-1]["high"],
            commonest,
        )
        return Result({"tables/performance": frame(rows)}, headline=[headline])
