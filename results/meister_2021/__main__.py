"""Write results/meister_2021/: the sparsity sweep beside the published tables and its controls.

python -m results.meister_2021 [--only PREFIX] [--output-dir outputs] [--data-dir DATA] [--device auto]
                               [--jobs 1] [--at-hand]

Computes what the cache of the output folder does not hold.
"""

from pathlib import Path
from typing import Any

import polars as pl

from attex.analyses.dispersion import OWN, STATES
from attex.config.loading import load_experiments
from attex.config.schema import ExperimentConfig
from attex.foundations.storage import write_json
from results.figures import write_figure
from results.meister_2021 import figures
from results.meister_2021.change import changes, levels
from results.meister_2021.open_choices import choices, dimensions
from results.meister_2021.pages import pages
from results.meister_2021.sweep import DATASETS, DENSE, ENCODERS, ENDS, IMPORTANCES, Sweep
from results.running import Found, obtain, options

HERE = Path(__file__).parent
FOLDER = HERE.parent.parent / "experiments" / "meister_2021"
FILE = FOLDER / "sweep.jsonnet"

SPARSER = ("sparsegen_-10", "sparsemax", "sparsegen_0.9")
"""What softmax is compared with: mildly sparse, the paper's, and nearly the sparsest."""


def experiments(file: Path, only: str) -> list[ExperimentConfig]:
    """Load the experiments of a file."""
    return [config for config in load_experiments(file) if config.name.startswith(only)]


def table_1(sweep: Sweep) -> list[dict[str, Any]]:
    """H̃ of the influence on hidden states, and the share of a state's own token."""
    rows = []
    for model in sweep.models(ENDS):
        ours = sweep.dispersion(model, STATES)
        own = sweep.dispersion(model, OWN)
        theirs = sweep.claim(model, "Table 1")
        rows.append(
            sweep.about(model)
            | {"published": theirs.mean, "published_std": theirs.std}
            | {key: ours[key] for key in ("mean", "low", "high", "std", "untrained", "undefined")}
            | {"own": own["mean"], "own_low": own["low"], "own_high": own["high"]}
            | {"own_untrained": own["untrained"]}
            | {"seeds": sweep.by_seed(model, "dispersion", of=STATES)}
        )
    return rows


def table_3(sweep: Sweep) -> list[dict[str, Any]]:
    """The accuracy of every model of the sweep; the paper has that of softmax."""
    rows = []
    for model in sweep.models():
        ours = sweep.found[model].pooled("performance").to_dicts()[0]
        theirs = sweep.claim(model, "Table 3") if sweep.about(model)["projection"] == DENSE else None
        rows.append(
            sweep.about(model)
            | {"published": theirs.mean if theirs else None}
            | {key: ours[key] for key in ("accuracy", "low", "high")}
            | {"support": sweep.agreement(model, "gradient_norm")["mean_support"]}
            | {"seeds": sweep.by_seed(model, "performance", "accuracy")}
        )
    return rows


def table_6(sweep: Sweep) -> list[dict[str, Any]]:
    """τ of attention with every measure of inputs and of states, beside what it is read by."""
    keys: tuple[str, ...] = ("mean", "low", "high", "std", "null", "ceiling", "undefined", "n")
    keys += ("calibrated", "calibrated_low", "calibrated_high", "untrained", "permuted", "mean_support")
    rows = []
    for model in sweep.models():
        for measure in IMPORTANCES:
            about = sweep.about(model)
            which = f"kendall_tau(attention, {measure})"
            theirs = sweep.claim(model, "Table 6", which) if about["projection"] in ENDS else None
            ours = sweep.agreement(model, measure)
            beyond = sweep.beyond_permuted(model, measure)
            rows.append(
                about
                | {"measure": measure, "published": theirs.mean if theirs else None}
                | {key: ours[key] for key in keys}
                | {f"beyond_{key}": beyond[key] for key in ("mean", "low", "high")}
                | {
                    "seeds": sweep.by_seed(
                        model, "contextualisation", measure_b=measure, **{"class": "overall"}
                    )
                }
            )
    return rows


def faithfulness(sweep: Sweep) -> list[dict[str, Any]]:
    """Comprehensiveness and sufficiency of attention over the sweep, beside random tokens."""
    rows = []
    for model in sweep.models():
        for measure in ("attention", *IMPORTANCES):
            for quantity in ("comprehensiveness", "sufficiency"):
                row = sweep.faithfulness(model, measure, quantity)
                keys = ("mean", "low", "high", "random", "gain", "gain_low", "gain_high")
                about = {"measure": measure, "quantity": quantity}
                gains = sweep.by_seed(model, "faithfulness", "gain", **about, fraction="area")
                each = {key: row[key] for key in keys} | {"seeds": gains}
                rows.append(sweep.about(model) | about | each)
    return rows


def main() -> None:
    """Compute what is missing and write everything."""
    parser = options(__doc__)
    parser.add_argument("--only", default="", metavar="PREFIX")
    asked = parser.parse_args()
    found: dict[str, Found] = obtain(experiments(FILE, asked.only), asked)
    if not found:
        parser.error("nothing of the sweep to show: mind --only, --data-dir, --output-dir")
    others: dict[str, Found] = {}
    for name in ("dimensions", "choices"):
        others |= obtain(experiments(FOLDER / f"{name}.jsonnet", asked.only), asked)
    sweep = Sweep(found)
    tables = {
        "answer": list(levels(sweep)),
        "change": list(changes(sweep, DENSE, SPARSER)),
        "table_1": table_1(sweep),
        "table_2": [row for d in DATASETS for e in ENCODERS for row in sweep.lambda_rows(d, e)],
        "table_3": table_3(sweep),
        "table_6": table_6(sweep),
        "faithfulness": faithfulness(sweep),
        "dimensions": list(dimensions(sweep, others)),
        "choices": list(choices(sweep, others)),
    }
    for name, rows in tables.items():
        frame = pl.DataFrame(rows, infer_schema_length=None)
        frame.write_csv(HERE / f"{name}.csv", float_precision=4)
    write_figure(HERE / "answer", figures.answer(tables["answer"]))
    write_figure(HERE / "figure_1", figures.inputs_and_states(tables["table_6"]))
    write_figure(HERE / "figure_2", figures.entropies(sweep))
    write_figure(HERE / "figure_3", figures.by_sparsity(tables["table_6"]))
    text = (HERE / "template.md").read_text(encoding="utf-8")
    for key, value in pages(sweep, tables).items():
        text = text.replace(f"{{{key}}}", value)
    (HERE / "README.md").write_text(text, encoding="utf-8")
    records = {name: each.record for name, each in (found | others).items()}
    write_json(HERE / "manifest.json", records)


if __name__ == "__main__":
    main()
