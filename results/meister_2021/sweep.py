"""What was found of each model of the sweep, by what a table asks for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from scipy.stats import kendalltau

from attex.agreement.intervals import percentiles
from attex.analyses.summary import ALL_SEEDS
from attex.claims.ledger import Claim, published
from results.running import Found, stacked

PAPER = "meister_2021"
DATASETS, ENCODERS = ("imdb", "20news", "sst"), ("lstm", "transformer")
IMPORTANCES = ("gradient_norm", "leave_one_out", "gradient_norm[hidden]", "leave_one_out[hidden]")
INPUTS = IMPORTANCES[:2]
PROJECTIONS = (
    "softmax",
    "entmax_1.25",
    "entmax_1.5",
    "entmax_1.75",
    "learned_entmax",
    "sparsegen_-30",
    "sparsegen_-10",
    "sparsegen_-3",
    "sparsegen_-1",
    "sparsemax",
    "sparsegen_0.5",
    "sparsegen_0.9",
)
DENSE = "softmax"
ENDS = (DENSE, "sparsemax")
"""The projections that the paper's tables show."""

DRAWS = 200
"""Bootstrap draws of a τ over all points of a sweep."""

AXES = {"sparsegen": "λ", "entmax": "α"}


def places(projection: str) -> dict[str, float]:
    """Say where a projection lies on each axis: softmax is α = 1, sparsemax both λ = 0 and α = 2."""
    ends = {"softmax": {"α": 1.0}, "sparsemax": {"λ": 0.0, "α": 2.0}, "learned_entmax": {}}
    if projection in ends:
        return ends[projection]
    name, _, value = projection.rpartition("_")
    return {AXES[name]: float(value)}


class Sweep:
    """The experiments of the sweep that were found, by name."""

    def __init__(self, found: Mapping[str, Found]) -> None:
        self.found = found

    def models(self, projections: Sequence[str] = PROJECTIONS) -> list[str]:
        """Name the models there are, in the order of the tables."""
        names = [f"{d}_{e}_{p}" for d in DATASETS for e in ENCODERS for p in projections]
        return [name for name in names if name in self.found]

    def about(self, model: str) -> dict[str, Any]:
        """Say what a model is."""
        data, encoder, projection = model.split("_", 2)
        return {"dataset": data, "encoder": encoder, "projection": projection}

    def claim(self, model: str, location: str, quantity: str | None = None) -> Claim:
        """Return the one published number about a model, or the one of a quantity."""
        where = self.about(model) | ({} if quantity is None else {"quantity": quantity})
        (found,) = published(paper=PAPER, location=location, **where)
        return found

    def agreement(self, model: str, measure: str) -> dict[str, Any]:
        """Return the row of attention with a measure over all texts."""
        return self._only(model, "contextualisation", measure_b=measure, **{"class": "overall"})

    def beyond_permuted(self, model: str, measure: str) -> dict[str, Any]:
        """Return the agreement less that of the permuted attention, text by text."""
        return self._only(model, "contextualisation_differences", measure=measure, less="permuted")

    def dispersion(self, model: str, of: str) -> dict[str, Any]:
        """Return the row of the normalised entropy of something."""
        return self._only(model, "dispersion", of=of)

    def faithfulness(self, model: str, measure: str, quantity: str) -> dict[str, Any]:
        """Return the row of a measure's comprehensiveness or sufficiency, all fractions together."""
        return self._only(model, "faithfulness", measure=measure, quantity=quantity, fraction="area")

    def _only(self, model: str, name: str, **where: str) -> dict[str, Any]:
        rows = self.found[model].pooled(name)
        rows = rows.filter(*(pl.col(key) == value for key, value in where.items()))
        assert len(rows) == 1, (model, name, where, len(rows))
        return rows.to_dicts()[0]

    def of_texts(self, models: Sequence[str], analysis: str, name: str) -> np.ndarray:
        """Return what was found of every text under a name, in the seeds that all have: [models,S,N]."""
        return stacked([self.found[model].findings(analysis) for model in models], name)

    def fractions(self, model: str) -> list[str]:
        """Return the fractions of words that were deleted."""
        found = next(iter(self.found[model].findings("faithfulness").values()))
        return list(dict.fromkeys(name.rpartition("|")[2] for name in found))

    def by_seed(self, model: str, name: str, column: str = "mean", **where: str) -> str:
        """Write the value of each seed."""
        rows = self.found[model].tables[f"tables/{name}"].filter(pl.col("seed") != ALL_SEEDS)
        rows = rows.filter(*(pl.col(key) == value for key, value in where.items())).sort("seed")
        return " ".join(f"{value:.4f}" for value in rows[column])

    def lambda_rows(self, data: str, encoder: str) -> Iterator[dict[str, Any]]:
        """Table 2: τ-b of λ with H̃ of the gradient, a point for each model and text, or each model."""
        models = {}
        for name in self.models():
            about = self.about(name)
            if (about["dataset"], about["encoder"]) == (data, encoder):
                place = places(about["projection"]).get("λ")
                if place is not None:
                    models[place] = name
        if len(models) < 2:
            return
        lambdas = np.array(sorted(models))
        values = self.of_texts(
            [models[place] for place in lambdas], "dispersion", "entropy|gradient_norm"
        )
        seeds = values.shape[1]
        if not seeds:
            return
        grid = np.broadcast_to(lambdas[:, None, None], values.shape)
        rng, draws = np.random.default_rng(0), []
        for _ in range(DRAWS):
            texts = rng.integers(0, values.shape[2], values.shape[2])
            chosen = rng.integers(0, seeds, seeds)
            draws.append(_tau(grid[:, chosen][:, :, texts], values[:, chosen][:, :, texts]))
        low, high = percentiles(np.array(draws))
        theirs = published(paper=PAPER, location="Table 2", dataset=data, encoder=encoder)[0]
        yield {
            "dataset": data,
            "encoder": encoder,
            "published": theirs.mean,
            "mean": _tau(grid, values),
            "low": low,
            "high": high,
            "by_model": _tau(grid[:, :, 0], np.nanmean(values, axis=2)),
            "lambdas": ", ".join(f"{place:g}".replace("-", "−") for place in lambdas),
            "models": len(lambdas) * seeds,
            "undefined": int(np.isnan(values).sum()),
        }

    def seeds(self) -> str:
        """Say how many seeds the models of each dataset and encoder have."""
        counts: dict[int, list[str]] = {}
        for data in DATASETS:
            for encoder in ENCODERS:
                names = [name for name in self.models() if name.startswith(f"{data}_{encoder}_")]
                if names:
                    fewest = min(len(self.found[name].record["seeds"]) for name in names)
                    counts.setdefault(fewest, []).append(f"{data} {encoder}")
        each = [
            f"{count} seed{'s' * (count > 1)} ({', '.join(counts[count])})"
            for count in sorted(counts, reverse=True)
        ]
        return " or ".join(each)


def _tau(places: np.ndarray, values: np.ndarray) -> float:
    known = ~np.isnan(values)
    return float(kendalltau(places[known], values[known])[0])
