"""What other choices would have changed, on SST."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from attex.analyses.dispersion import OWN, STATES
from results.meister_2021.change import ratio, ratios
from results.meister_2021.sweep import Sweep
from results.running import Found

DIMENSIONS = "_dimensions"
CHOICES = {
    "": "the same rate, word2vec",
    "_rate": "ten times, word2vec",
    "_rate_glove": "ten times, GloVe",
}
"""What was chosen, by what the name of a model ends in: attention's learning rate, and vectors."""
SHARED = (("leave_one_out", "beyond_share"), ("", "comprehensiveness_first"))
"""What the answer of the sweep rests on."""


def dimensions(sweep: Sweep, others: Mapping[str, Found]) -> Iterator[dict[str, Any]]:
    """H̃ of the influence on a state's length, and on its dimensions, of the same model."""
    for model in sweep.models():
        if model + DIMENSIONS in others:
            for on, found in (
                ("magnitude", sweep.found[model]),
                ("dimensions", others[model + DIMENSIONS]),
            ):
                rows = found.tables["tables/dispersion"].filter(pl.col("seed") == "0")
                by_name = {row["of"]: row for row in rows.to_dicts()}
                states = by_name[STATES if on == "magnitude" else f"{STATES} (dimensions)"]
                keys = ("mean", "low", "high", "untrained")
                own = {"own": by_name[OWN]["mean"], "own_untrained": by_name[OWN]["untrained"]}
                yield sweep.about(model) | {"on": on} | {key: states[key] for key in keys} | own


def choices(sweep: Sweep, others: Mapping[str, Found]) -> Iterator[dict[str, Any]]:
    """What attention agrees with, and what the output loses, under other choices."""
    everything = Sweep({**sweep.found, **others})
    for model in sweep.models():
        chosen = {end: shown for end, shown in CHOICES.items() if model + end in everything.found}
        if len(chosen) == 1:
            continue
        for end, shown in chosen.items():
            name = model + end
            row = sweep.about(model) | {"chosen": shown}
            row |= {"accuracy": everything.found[name].pooled("performance")["accuracy"][0]}
            row |= {"influence": everything.dispersion(name, STATES)["mean"]}
            for measure in ("gradient_norm", "leave_one_out"):
                ours = everything.agreement(name, measure)
                claim = sweep.claim(model, "Table 6", f"kendall_tau(attention, {measure})")
                row |= {measure: ours["mean"], f"{measure}_published": claim.mean}
                row |= {f"{measure}_{bound}": ours[bound] for bound in ("low", "high")}
            (found,) = ratios(everything, [name])
            yield row | {key[1]: ratio(*found[key]) for key in SHARED}
