"""Write results/jain_wallace_2019/: the classification grid, row by row beside the published values.

python -m results.jain_wallace_2019 [--only PREFIX] [--output-dir outputs] [--data-dir DATA] [--jobs 1]

Computes what the cache of the output folder does not hold.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from attex.agreement.intervals import mean_interval
from attex.claims.matching import beside
from attex.config.loading import load_experiments
from attex.config.schema import ExperimentConfig
from attex.foundations.storage import write_json
from results.figures import difference_figure, published_figure, write_figure
from results.jain_wallace_2019.causes import EPOCH, FAR, GLOVE, Causes, is_study, is_tau
from results.markdown import number, spread, table
from results.running import Found, obtain, options, stacked

HERE = Path(__file__).parent
EXPERIMENTS = HERE.parent.parent / "experiments" / "jain_wallace_2019"
PAPER = "Jain & Wallace 2019"
DATASETS, ENCODERS, ATTENTIONS = (
    ("sst", "imdb", "20news", "ag_news"),
    ("lstm", "cnn", "average"),
    ("tanh", "sdp"),
)
PAIRS = (("attention", "gradient"), ("attention", "leave_one_out"), ("gradient", "leave_one_out"))


def experiments(only: str) -> list[ExperimentConfig]:
    """Load the grid and the studies of causes."""
    files = ("grid", "kept_epoch", "vectors")
    found = [load_experiments(EXPERIMENTS / f"{name}.jsonnet") for name in files]
    configs = [config for one in found for config in one]
    return [config for config in configs if config.name.startswith(only)]


def comparison(found: Mapping[str, Found]) -> Iterator[dict[str, Any]]:
    """Put every published value beside ours, each seed's, GloVe's, and the cause of a difference."""
    causes = Causes(found)
    for name, each in _grid(found).items():
        by_seed = _by_seed(each)
        for row in beside(each.tables):
            if row["paper"] == PAPER:
                seeds = [values[row["claim"]] for values in by_seed if row["claim"] in values]
                row = {"experiment": name} | row
                row["seeds"] = ", ".join(number(value) for value in seeds)
                other = causes.with_glove(row) or {}
                row |= {f"glove_{key}": other.get(key) for key in ("ours", "low", "high")}
                yield row | {"cause": causes.of(row)}


def _grid(found: Mapping[str, Found]) -> dict[str, Found]:
    return {name: each for name, each in found.items() if not is_study(name)}


def _by_seed(found: Found) -> list[dict[str, float]]:
    seeds = [s for s in found.tables["tables/performance"]["seed"].unique().sort() if s != "all"]
    rows = [
        beside({name: t.filter(pl.col("seed") == seed) for name, t in found.tables.items()})
        for seed in seeds
    ]
    return [{row["claim"]: row["ours"] for row in some} for some in rows]


def tau(found: Found, pair: tuple[str, str]) -> dict[str, Any]:
    """Return the row of Kendall's τ of a pair over all texts."""
    rows = found.pooled("agreement").filter(
        pl.col("measure_a") == pair[0], pl.col("measure_b") == pair[1], pl.col("class") == "overall"
    )
    return rows.to_dicts()[0]


def grid_rows(found: Mapping[str, Found], compared: list[dict[str, Any]]) -> list[list[str]]:
    """One line a model: three τ and the accuracy, ours and published."""
    claims = {
        (row["experiment"], row["quantity"]): row["published"]
        for row in compared
        if row["class"] == "overall"
    }
    rows = []
    for data, encoder, attention in product(DATASETS, ENCODERS, ATTENTIONS):
        name = f"{data}_{encoder}_{attention}"
        if name not in found:
            continue
        cells = [data, encoder, attention]
        for pair in PAIRS:
            ours = tau(found[name], pair)
            cells += [spread(ours), number(claims.get((name, f"kendall_tau({', '.join(pair)})")))]
        accuracy = found[name].pooled("performance").to_dicts()[0]
        rows.append([*cells, spread(accuracy, "accuracy"), number(claims.get((name, "accuracy")))])
    return rows


def counterfactual_rows(found: Mapping[str, Found]) -> list[list[str]]:
    """One line a model: permutation, adversaries, erasure, log-odds."""
    rows = []
    for name, each in found.items():
        if "tables/adversarial" not in each.tables:
            continue
        permuted = each.pooled("permutation").filter(
            pl.col("highest_weight") == "any", pl.col("class") == "overall"
        )
        adversaries = each.pooled("adversarial").filter(pl.col("epsilon") == 0.01).to_dicts()
        exact, search = (next(r for r in adversaries if r["method"] == m) for m in ("exact", "search"))
        smallest, by_attention = (
            each.pooled("erasure_prefix").filter(pl.col("order") == order).to_dicts()[0]
            for order in ("smallest set", "attention")
        )
        uniform = each.pooled("log_odds").filter(pl.col("imposed") == "uniform").to_dicts()[0]
        rows.append(
            [
                f"`{name}`",
                spread(permuted.to_dicts()[0]),
                spread(exact, "ratio", "ratio_low", "ratio_high"),
                spread(search, "reached", "reached_low", "reached_high"),
                f"{100 * search['within_1_percent']:.0f} %",
                f"{number(by_attention['erased'])} / {number(smallest['erased'])}",
                spread(uniform, "agreement", "agreement_low", "agreement_high"),
            ]
        )
    return rows


def differences(found: Mapping[str, Found]) -> Iterator[dict[str, Any]]:
    """Figures 3 to 5: τ(gradient, LOO) less τ(attention, ·), and the average encoder less the LSTM."""
    for name, each in _grid(found).items():
        for row in each.pooled("agreement_differences").to_dicts():
            if row["less"] == "gradient ~ leave_one_out":
                what = f"(gradient ~ leave_one_out) − ({row['pair']})"
                yield {"model": name, "what": what} | {
                    "mean": -row["mean"], "low": -row["high"], "high": -row["low"]
                }  # fmt: skip
    for data, attention in product(DATASETS, ATTENTIONS):
        names = [f"{data}_{encoder}_{attention}" for encoder in ("average", "lstm")]
        if not all(name in found for name in names):
            continue
        for pair in PAIRS[:2]:
            key = f"kendall_tau|{'|'.join(pair)}|value"
            average, lstm = stacked([found[name].findings("agreement") for name in names], key)
            gap = average - lstm
            if not gap.size:
                continue
            low, high = mean_interval(gap, ~np.isnan(gap))
            what = f"average − lstm: {' ~ '.join(pair)}"
            yield {"model": f"{data}_{attention}", "what": what} | {
                "mean": float(np.nanmean(gap)), "low": low, "high": high
            }  # fmt: skip


def epoch_rows(found: Mapping[str, Found]) -> list[list[str]]:
    """How τ moves with the epoch whose model is kept."""
    rows = []
    for name, each in found.items():
        if EPOCH in name:
            accuracy = each.pooled("performance").to_dicts()[0]
            values = [spread(tau(each, pair)) for pair in PAIRS]
            rows.append([f"`{name}`", *values, spread(accuracy, "accuracy")])
    return rows


def moved(found: Mapping[str, Found]) -> dict[str, str]:
    """How far the vectors move τ of the grid's models: the median and the largest move."""
    moves = [
        (abs(tau(found[name + GLOVE], pair)["mean"] - tau(each, pair)["mean"]), name, pair)
        for name, each in _grid(found).items()
        if name + GLOVE in found
        for pair in PAIRS
    ]
    if not moves:
        return {}
    _, name, pair = max(moves)
    return {
        "MEDIAN_MOVE": number(float(np.median([move for move, _, _ in moves]))),
        "MOST_MOVED": f"τ({pair[0]}, {pair[1]}) of `{name}`",
        "MOST_MOVED_FROM": spread(tau(found[name], pair)),
        "MOST_MOVED_TO": spread(tau(found[name + GLOVE], pair)),
    }


def glove_rows(found: Mapping[str, Found]) -> list[list[str]]:
    """How τ moves with the vectors that the models start from."""
    rows = []
    for name, each in _grid(found).items():
        other = found.get(name + GLOVE)
        if other is not None:
            cells = [spread(tau(one, pair)) for pair in PAIRS for one in (each, other)]
            rows.append([f"`{name}`", *cells])
    return rows


COUNTERFACTUAL = [
    "model",
    "permuted: median TVD",
    "exact JSD at ε = 0.01, of the largest",
    "search, of the exact",
    "within 1 %",
    "erased to flip: by attention / smallest",
    "decides the same under uniform attention",
]


def cause_list(far: list[dict[str, Any]]) -> str:
    """Count the differences by their cause, the most frequent first."""
    counts = Counter(row["cause"].partition(":")[0] for row in far)
    return "; ".join(f"{count} × {cause}" for cause, count in counts.most_common())


FAR_HEADER = [
    "model",
    "quantity",
    "class",
    "published",
    "ours",
    "each seed",
    "difference",
    "with GloVe",
    "cause",
]


def _far_row(row: dict[str, Any]) -> list[str]:
    return [
        f"`{row['experiment']}`",
        row["quantity"],
        row["class"],
        number(row["published"]),
        spread(row, "ours"),
        row["seeds"],
        number(row["difference"]),
        spread(row, "glove_ours", "glove_low", "glove_high"),
        row["cause"],
    ]


def page(found: Mapping[str, Found], compared: list[dict[str, Any]]) -> str:
    """Write the page from its template and the measured numbers."""
    far = [row for row in compared if abs(row["difference"]) > FAR and is_tau(row)]
    parts = {
        "GRID": table(
            ["data", "encoder", "attention"]
            + [cell for pair in PAIRS for cell in (f"τ({pair[0]}, {pair[1]})", "published")]
            + ["accuracy", "published"],
            grid_rows(found, compared),
        ),
        "COUNTERFACTUAL": table(COUNTERFACTUAL, counterfactual_rows(found)),
        "EPOCHS": table(["model", *(f"τ({a}, {b})" for a, b in PAIRS), "accuracy"], epoch_rows(found)),
        "FAR": table(
            FAR_HEADER,
            [_far_row(row) for row in far],
        ),
        "CLAIMS": str(len(compared)),
        "WITH_INTERVAL": str(sum(row["inside"] is not None for row in compared)),
        "INSIDE": str(sum(row["inside"] is True for row in compared)),
        "FAR_COUNT": str(len(far)),
        "CAUSES": cause_list(far),
        "GLOVE": table(
            ["model", *(cell for a, b in PAIRS for cell in (f"τ({a}, {b})", "GloVe"))], glove_rows(found)
        ),
    }
    parts |= moved(found)
    text = (HERE / "template.md").read_text(encoding="utf-8")
    for key, value in parts.items():
        text = text.replace(f"{{{key}}}", value)
    return text


def main() -> None:
    """Compute what is missing and write everything."""
    parser = options(__doc__)
    parser.add_argument("--only", default="", metavar="PREFIX")
    asked = parser.parse_args()
    found = obtain(experiments(asked.only), asked)
    if not _grid(found):
        parser.error("nothing of the grid to show: mind --only, --data-dir, --output-dir")
    compared = list(comparison(found))
    pl.DataFrame(compared, infer_schema_length=None).write_csv(
        HERE / "comparison.csv", float_precision=4
    )
    gaps = list(differences(found))
    pl.DataFrame(gaps, infer_schema_length=None).write_csv(HERE / "differences.csv", float_precision=4)
    write_figure(HERE / "published", published_figure(compared))
    write_figure(HERE / "differences", difference_figure(gaps))
    (HERE / "README.md").write_text(page(found, compared), encoding="utf-8")
    write_json(HERE / "manifest.json", {name: each.record for name, each in found.items()})


if __name__ == "__main__":
    main()
