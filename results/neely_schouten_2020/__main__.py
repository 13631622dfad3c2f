"""Write results/neely_schouten_2020/: their two tables and figures, beside chance, ceiling and ours.

python -m results.neely_schouten_2020 [--output-dir outputs] [--data-dir DATA] [--device auto] [--jobs 1]

Computes what the cache of the output folder does not hold: 48 trainings, on one H200 with --jobs 8 about
ten minutes.
"""

from pathlib import Path
from typing import Any

import polars as pl

from attex.claims.ledger import Claim, published
from attex.config.loading import load_experiments
from attex.config.schema import ExperimentConfig
from attex.foundations.storage import write_json
from results.figures import answer_figure, density_figure, write_figure
from results.markdown import number, spread, table
from results.running import Found, obtain, options

HERE = Path(__file__).parent
EXPERIMENTS = HERE.parent.parent / "experiments"
PAPER = "neely_schouten_2020"
EIGHT = [
    f"{data}_{attention}_{projection}"
    for data in ("sst", "imdb")
    for attention in ("tanh", "sdp")
    for projection in ("softmax", "sparsemax")
]
RULES = {
    ("softmax", "average_length"): "avg.",
    ("sparsemax", ""): "all",
    ("sparsemax", "non_zero"): "non-zero",
}
"""The rows of Table 2: projection and k, and what its column k says."""

SHOWN = (
    *("mean", "low", "high", "null", "ceiling", "calibrated", "calibrated_low", "calibrated_high"),
    *("positive", "mean_k", "mean_support", "untrained", "permuted", "undefined", "n"),
)
"""What a row of Table 2 shows of an agreement."""


def row(found: Found, statistic: str, k: str, measure: str, class_: str = "overall") -> dict[str, Any]:
    """Return one row of an experiment's agreement table, over all seeds."""
    rows = found.pooled("agreement").filter(
        pl.col("statistic").str.starts_with(f"{statistic}(" if k else statistic),
        pl.col("k") == k,
        pl.col("measure_a") == "attention",
        pl.col("measure_b").str.starts_with(measure),
        pl.col("class") == class_,
    )
    assert len(rows) == 1, (found.name, statistic, k, measure, class_, len(rows))
    return rows.to_dicts()[0]


def experiments() -> list[ExperimentConfig]:
    """Load the eight in correct settings, and the eight in the paper's."""
    found = [load_experiments(EXPERIMENTS / f"{name}.jsonnet") for name in EIGHT]
    found.append(load_experiments(EXPERIMENTS / PAPER / "published.jsonnet"))
    return [config for one in found for config in one]


def quantity_of(statistic: str, k: str, measure: str) -> str:
    """Name the agreement of attention with a measure as the ledger does."""
    return f"{statistic}{f'(k={k})' if k else ''}(attention, {measure})"


def claim(**where: str) -> Claim:
    """Return the one claim of the paper that is about this."""
    (found,) = published(paper=PAPER, **where)
    return found


def table_1(found: dict[str, Found]) -> list[dict[str, Any]]:
    """Kendall's τ of softmax tanh attention with both measures, by class."""
    rows = []
    for data in ("sst", "imdb"):
        for class_ in ("positive", "negative"):
            for measure in ("gradient", "leave_one_out"):
                quantity = quantity_of("kendall_tau", "", measure)
                theirs = claim(location="Table 1", dataset=data, class_=class_, quantity=quantity)
                line: dict[str, Any] = {"dataset": data, "class": class_, "measure": measure}
                line |= {"published": theirs.mean, "published_std": theirs.std}
                for settings, suffix in (("theirs", "_published"), ("correct", "")):
                    ours = row(found[f"{data}_tanh_softmax{suffix}"], "kendall_tau", "", measure, class_)
                    line |= {f"{settings}_{key}": ours[key] for key in ("mean", "low", "high", "std")}
                rows.append(line)
    return rows


def table_2(found: dict[str, Found]) -> list[dict[str, Any]]:
    """Every cell of Table 2: as published, ours, chance, ceiling, and what is left."""
    rows = []
    for data in ("sst", "imdb"):
        for (projection, k), shown in RULES.items():
            for attention in ("tanh", "sdp"):
                for measure in ("gradient", "leave_one_out"):
                    statistic = "top_k_published" if k else "kendall_tau"
                    about = {"dataset": data, "attention": attention, "projection": projection}
                    theirs = {
                        class_: claim(
                            location="Table 2",
                            quantity=quantity_of(statistic, k, measure),
                            class_=class_,
                            **about,
                        ).mean
                        for class_ in ("positive", "negative")
                    }
                    line: dict[str, Any] = about | {"k": shown, "measure": measure}
                    line |= {f"published_{class_}": mean for class_, mean in theirs.items()}
                    for settings, suffix in (("theirs", "_published"), ("correct", "")):
                        experiment = found[f"{data}_{attention}_{projection}{suffix}"]
                        for name, used in (("as_published", statistic), ("corrected", "top_k")):
                            if name == "corrected" and not k:
                                continue
                            ours = row(experiment, used, k, measure)
                            line |= {f"{settings}_{name}_{key}": ours[key] for key in SHOWN}
                    rows.append(line)
    return rows


def answer_rows(found: dict[str, Found]) -> list[dict[str, Any]]:
    """Sparse tanh attention in the top-k: what the README's figure shows."""
    rows = []
    for data, shown in (("sst", "SST"), ("imdb", "IMDB")):
        for measure, word in (("gradient", "gradient"), ("leave_one_out", "leave-one-out")):
            for statistic, panel in (("top_k_published", "as published"), ("top_k", "corrected")):
                ours = row(found[f"{data}_tanh_sparsemax"], statistic, "non_zero", measure)
                line: dict[str, Any] = {
                    key: ours[key] for key in ("mean", "low", "high", "null", "ceiling")
                }
                about = {"dataset": data, "attention": "tanh"}
                about["quantity"] = quantity_of("top_k_published", "non_zero", measure)
                theirs = [c.mean for c in published(paper=PAPER, location="Table 2", **about)]
                line["published"] = theirs if statistic == "top_k_published" else []
                rows.append(line | {"panel": panel, "row": f"{shown}, {word}"})
    return rows


def page(found: dict[str, Found], first: list[dict[str, Any]], second: list[dict[str, Any]]) -> str:
    """Write the page from its template and the measured numbers."""
    template = (HERE / "template.md").read_text(encoding="utf-8")
    shown_1 = [
        [row["dataset"].upper(), row["class"], row["measure"].replace("_", "-")]
        + [f"{number(row['published'])} ± {number(row['published_std'])}"]
        + [
            spread(row, *(f"{s}_{key}" for key in ("mean", "low", "high")))
            for s in ("theirs", "correct")
        ]
        for row in first
    ]
    parts = {
        "TABLE_1": table(
            ["data", "class", "τ with", "published", "ours, their settings", "ours, correct settings"],
            shown_1,
        ),
        "TABLE_2": table(SECOND_HEADER, [second_row(row) for row in second]),
        "CONTROLS": table(
            ["data", "measure", "trained", "permuted attention", "chance", "of what is above chance"],
            control_rows(second),
        ),
        "SEEDS": seeds_used(found),
        "BUILT_IN": " and ".join(
            f"{100 * built_in(row, 'correct'):.0f} %"
            for row in second
            if (row["dataset"], row["attention"], row["k"]) == ("sst", "tanh", "non-zero")
        ),
        "MODELS": table(
            ["experiment", "seeds", "accuracy", "weights that are not 0"], model_rows(found)
        ),
    }
    for row in answer_rows(found):
        key = f"{row['row'].replace(', ', '_').upper()}_{row['panel'].replace(' ', '_').upper()}"
        parts[key] = spread(row)
        parts[f"{key}_CHANCE"] = number(row["null"])
    for row in second:
        if row["attention"] == "tanh" and row["k"] == "non-zero":
            key = f"{row['dataset']}_{row['measure'].replace('_', '-')}".upper()
            names = ("calibrated", "calibrated_low", "calibrated_high")
            for statistic in ("corrected", "as_published"):
                value = spread(row, *(f"correct_{statistic}_{name}" for name in names))
                parts[f"{key}_{statistic.upper()}_CALIBRATED"] = value
    for key in sorted(parts, key=len, reverse=True):
        template = template.replace(f"{{{key}}}", parts[key])
    assert "{" not in template, template[template.index("{") :][:80]
    return template


SECOND_HEADER = [
    "data", "k", "attention", "with", "published +/−", "their settings", "correct settings",
    "chance", "corrected statistic", "chance", "ceiling", "calibrated",
]  # fmt: skip


def second_row(row: dict[str, Any]) -> list[str]:
    """One line of Table 2; a plain τ has no other statistic beside it."""

    def cell(start: str, names: tuple[str, str, str] = ("mean", "low", "high")) -> str:
        return spread(row, *(f"{start}_{name}" for name in names))

    statistic = "corrected" if "correct_corrected_mean" in row else "as_published"
    start = f"correct_{statistic}"
    return [
        row["dataset"].upper(),
        row["k"],
        f"{row['attention']} {row['projection']}",
        row["measure"].replace("_", "-"),
        f"{number(row['published_positive'])} / {number(row['published_negative'])}",
        cell("theirs_as_published"),
        cell("correct_as_published"),
        number(row["correct_as_published_null"]),
        cell(start) if statistic == "corrected" else "τ, as before",
        number(row[f"{start}_null"]),
        number(row[f"{start}_ceiling"]),
        cell(start, ("calibrated", "calibrated_low", "calibrated_high")),
    ]


def built_in(row: dict[str, Any], settings: str) -> float:
    """Return the share of what is above chance that permuted attention has too."""
    mean, permuted, null = (row[f"{settings}_corrected_{name}"] for name in ("mean", "permuted", "null"))
    return float((permuted - null) / (mean - null))


def control_rows(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Sparse tanh attention under its own weights, permuted."""
    return [
        [
            f"{row['dataset'].upper()}, {settings}",
            row["measure"].replace("_", "-"),
            *(number(row[f"{key}_corrected_{name}"]) for name in ("mean", "permuted", "null")),
            f"{100 * built_in(row, key):.0f} %",
        ]
        for row in rows
        for settings, key in (("correct settings", "correct"), ("their settings", "theirs"))
        if row["attention"] == "tanh" and row["k"] == "non-zero" and row["dataset"] == "sst"
    ]


def seeds_used(found: dict[str, Found]) -> str:
    """Say over how many seeds the numbers are."""
    few = [f"`{name}`: {len(each.record['seeds'])}" for name, each in found.items()]
    few = [text for text in few if not text.endswith(": 3")]
    return f"three seeds ({', '.join(few)})" if few else "three seeds"


def model_rows(found: dict[str, Found]) -> list[list[str]]:
    """The accuracy of every experiment, and how sparse its attention is."""
    rows = []
    for name, each in found.items():
        accuracy = each.pooled("performance").to_dicts()[0]
        support = row(each, "kendall_tau", "", "leave_one_out")["mean_support"]
        seeds = ", ".join(str(seed) for seed in each.record["seeds"])
        rows.append([f"`{name}`", seeds, spread(accuracy, "accuracy"), f"{support:.1f}"])
    return rows


def main() -> None:
    """Compute what is missing and write everything."""
    found = obtain(experiments(), options(__doc__).parse_args())
    first, second = table_1(found), table_2(found)
    for name, rows in (("table_1", first), ("table_2", second)):
        pl.DataFrame(rows, infer_schema_length=None).write_csv(HERE / f"{name}.csv", float_precision=4)
    figures = {"answer": answer_figure(answer_rows(found))}
    for name, attention in (("figure_1", "tanh"), ("figure_2", "sdp")):
        sparse = {d.upper(): found[f"{d}_{attention}_sparsemax"] for d in ("imdb", "sst")}
        shown = {data: list(each.findings("agreement").values()) for data, each in sparse.items()}
        figures[name] = density_figure(shown, f"Sparse {attention} attention, k = its non-zero weights")
    for name, figure in figures.items():
        write_figure(HERE / name, figure)
    (HERE / "README.md").write_text(page(found, first, second), encoding="utf-8")
    write_json(HERE / "manifest.json", {name: each.record for name, each in found.items()})


if __name__ == "__main__":
    main()
