"""Models against models: studies whose numbers are known without them, and one line for a wrong file."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import t as student

import attex
from attex.foundations.errors import UserError
from attex.studies.kinds.frontier import Frontier
from attex.studies.kinds.use_of_attention import UseOfAttention
from attex.studies.parts.frontier import best, nearest
from attex.studies.parts.panels import panels
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.study_file import read_study
from attex.studies.universes import cells_of

BASE: dict[str, Any] = {
    "data": {"type": "planted", "sizes": [60, 20, 20]},
    "model": {"embedding_width": 6, "encoder": {"type": "average", "hidden": 4}},
    "trainer": {"epochs": 2, "learning_rate": 0.02},
}
FRONTIER: dict[str, Any] = {
    "study": "frontier",
    "base": BASE,
    "weights": [0.01, 1],
    "training": {"epochs": 3},
    "search": False,
    "seeds": [0, 1],
}
CELL = {"dataset": "d", "encoder": "e", "attention": "a", "projection": "p"}


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rivals")


def run(study: dict[str, Any], output: Path) -> attex.FinishedStudy:
    found = attex.run(study, output_dir=output, device="cpu")
    assert isinstance(found, attex.FinishedStudy)
    return found


def trained(output: Path) -> dict[str, int]:
    places = (output / ".cache" / "2" / "training").glob("*/stage.json")
    return {path.parent.name: path.stat().st_mtime_ns for path in places}


def test_a_frontier_has_every_model_and_keeps_to_what_is_known_of_them(output: Path) -> None:
    found = run(FRONTIER, output)
    rows = found.tables["frontier"].to_dicts()
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_kind.setdefault(row["kind"], []).append(row)
    assert [row["at"] for row in by_kind["adversary"]] == [0.01, 1]
    assert len(by_kind["per text, exact"]) == 3
    assert "per text, search" not in by_kind
    # Even weights are as far from the base's however they came about; only the output is not.
    (even,), (put_in,) = by_kind["uniform, trained"], by_kind["uniform, put in"]
    assert even["jsd"] == pytest.approx(put_in["jsd"], abs=1e-7)
    assert even["tvd"] != pytest.approx(put_in["tvd"], abs=1e-7)
    for row in by_kind["frozen adversary"]:
        assert row["beyond_bound"] == 0
        assert row["jsd"] <= row["jsd_bound"]
    for row in by_kind["adversary"]:
        assert np.isnan(row["jsd_bound"])
    # Another seed is the same kind of model: it is the base, once more.
    (other,) = by_kind["another seed"]
    assert other["accuracy_lost"] == 0
    numbers = found.runs.filter(pl.col("class") == "overall", pl.col("variant") == "another seed")
    apart = numbers.filter(pl.col("quantity") == "jsd(beside)")["value"].to_list()
    assert apart[0] == pytest.approx(apart[1], abs=1e-9)
    assert found.report.is_file()


def test_the_same_models_serve_the_use_of_attention_and_seeds(output: Path) -> None:
    run(FRONTIER, output)
    before = trained(output)
    use = {key: FRONTIER[key] for key in ("base", "weights", "training", "seeds")}
    found = run(use | {"study": "use_of_attention"}, output)
    (row,) = found.tables["use_of_attention"].to_dicts()
    numbers = found.runs.filter(pl.col("class") == "overall")

    def mean(model: str, quantity: str) -> float:
        asked = numbers.filter(pl.col("variant") == model, pl.col("quantity") == quantity)
        return float(asked["value"].mean())  # type: ignore[arg-type]

    assert row["accuracy"] == pytest.approx(mean("base", "accuracy"))
    lost = mean("base", "accuracy") - mean("uniform", "accuracy")
    assert row["lost_trained"] == pytest.approx(lost)
    assert row["lost_put_in"] == pytest.approx(row["accuracy"] - mean("base", "accuracy(uniform)"))
    seeds = run({"study": "seeds", "base": BASE, "seeds": [0, 1]}, output)
    (apart,) = seeds.tables["seeds"].to_dicts()
    assert apart["jsd"] > 0
    by_weight = seeds.tables["seeds_by_weight"].filter(pl.col("class") == "overall")
    assert by_weight["texts"].sum() == 20
    assert trained(output) == before


@pytest.mark.parametrize("decoder", ["query", "pair"])
def test_a_frontier_of_models_that_are_asked_something(decoder: str, tmp_path: Path) -> None:
    base = BASE | {
        "data": {"type": "planted", "task": "question", "sizes": [40, 12, 12]},
        "model": BASE["model"] | {"query": {}, "decoder": decoder},
    }
    small = {"weights": [1], "seeds": [0], "epsilon": [0.05], "search": True}
    found = run(FRONTIER | {"base": base} | small, tmp_path)
    by_kind = {row["kind"]: row for row in found.tables["frontier"].to_dicts()}
    # The exact maximum and the bound are of a linear decoder; all else is there.
    assert "per text, exact" not in by_kind
    assert by_kind["per text, search"]["jsd"] > 0
    assert all(np.isnan(row["jsd_bound"]) for row in by_kind.values())
    for kind in ("adversary", "frozen adversary", "uniform, trained", "permuted"):
        assert 0 <= by_kind[kind]["jsd"] <= np.log(2)
        assert 0 <= by_kind[kind]["tvd"] <= 1
    put_in, even = by_kind["uniform, put in"], by_kind["uniform, trained"]
    assert even["jsd"] == pytest.approx(put_in["jsd"], abs=1e-7)
    assert found.report.is_file()


def made_up(accuracies: dict[str, tuple[float, float]], jsd: dict[str, tuple[float, float]]) -> RunSet:
    """Two seeds of each level; development and test texts say the same."""
    names = tuple(accuracies)
    values = {
        "accuracy": np.array([*accuracies.values()]),
        "development_accuracy": np.array([*accuracies.values()]),
        "jsd(base)": np.array([jsd.get(name, (np.nan, np.nan)) for name in names]),
        "accuracy(uniform)": np.array([(0.7, 0.7)] * len(names)),
    }
    values["development_jsd"] = values["jsd(base)"]
    cell = CellRuns(CELL, np.arange(len(names))[:, None], (0, 1), values, {})
    return RunSet({"variant": names}, (cell,))


def test_the_best_adversary_is_the_furthest_of_those_that_decide_as_well() -> None:
    accuracies = {
        "base": (0.90, 0.92),
        "uniform": (0.85, 0.85),
        "adversary, λ = 0.1": (0.90, 0.92),
        "adversary, λ = 0.3": (0.89, 0.91),
        "adversary, λ = 1": (0.80, 0.80),
    }
    apart = dict(zip([*accuracies][2:], ((0.1, 0.1), (0.3, 0.5), (0.6, 0.6)), strict=True))
    runs = made_up(accuracies, apart)
    (panel,) = panels(runs, "variant")
    assert best(panel, ("free",), (0.1, 0.3, 1), "development") == "adversary, λ = 0.3"
    assert best(panel, ("free",), (1,), "test") is None
    (part,) = UseOfAttention(weights=(0.1, 0.3, 1.0))(runs, []).parts
    (row,) = part.tables["tables/use_of_attention"].to_dicts()
    assert row["jsd"] == pytest.approx(0.4)
    assert row["lost_trained"] == pytest.approx(0.06)
    assert row["lost_put_in"] == pytest.approx(0.21)
    (none,) = UseOfAttention(weights=(1.0,))(runs, []).parts
    assert "no adversary decides as well: the nearest (adversary, λ = 1) loses" in none.sentences[0]


def test_the_nearest_adversary_is_told_with_what_it_loses_and_may_lose() -> None:
    base, other = (0.90, 0.94), (0.88, 0.89)
    accuracies = {
        "base": base,
        "uniform": (0.5, 0.5),
        "adversary, λ = 0.1": other,
        "adversary, λ = 1": (0.7, 0.7),
    }
    runs = made_up(accuracies, {})
    (panel,) = panels(runs, "variant")
    level, (lost, low, high) = nearest(panel, ("free",), (0.1, 1.0))
    assert (level, lost) == ("adversary, λ = 0.1", pytest.approx(np.subtract(base, other).mean()))
    # How far seeds differ is pooled over what all other models have more than this one.
    gaps = [np.subtract(values, other) for values in accuracies.values() if values != other]
    half = student.ppf(0.975, 3) * np.sqrt(np.mean([gap.var(ddof=1) for gap in gaps]) / 2)
    assert (low, high) == pytest.approx((lost - half, lost + half))
    free = Frontier(weights=(0.1, 1.0), adversaries=("free",))
    (told,) = (one for one in free(runs, []).parts[0].sentences if "nearest" in one)
    assert f"the nearest (λ = 0.1) loses {lost:.3f} [{low:.3f}, {high:.3f}] there" in told.replace(
        "−", "-"
    )


def test_adversaries_that_are_not_trained_yet_are_not_said_to_do_worse() -> None:
    nan = (np.nan, np.nan)
    accuracies = {
        "base": (0.90, 0.92),
        "uniform": (0.85, 0.85),
        "adversary, λ = 0.1": (0.80, 0.80),
        "adversary, λ = 1": nan,
        "frozen adversary, λ = 0.1": nan,
        "frozen adversary, λ = 1": nan,
    }
    runs = made_up(accuracies, {"adversary, λ = 0.1": (0.1, 0.1)})
    (part,) = Frontier(weights=(0.1, 1.0))(runs, []).parts
    (sentence,) = part.sentences
    assert "no adversary (trained so far: 1 of 2) decides as well" in sentence
    (part,) = UseOfAttention(weights=(0.1, 1.0))(runs, []).parts
    assert "no adversary (trained so far: 1 of 2) decides as well" in part.sentences[0]
    (part,) = UseOfAttention(weights=(1.0,))(runs, []).parts
    assert "adversary" not in part.sentences[0]
    assert part.tables["tables/use_of_attention"]["adversary"].to_list() == [None]


def test_the_adversaries_are_trained_as_their_base_but_for_what_is_said() -> None:
    base = BASE | {"trainer": {"epochs": 4, "learning_rate": 0.05, "class_weights": False}}
    (cell,) = cells_of(read_study(FRONTIER | {"base": base, "weights": [0.5]}))
    adversary = next(c.trainer for c in cell.configs if c.trainer.type == "adversarial")
    options = adversary.options()
    assert options["epochs"] == 3
    assert options["learning_rate"] == 0.05
    assert options["base"] == {"trainer": base["trainer"] | {"type": "supervised"}}
    assert [c.trainer.type for c in cell.configs].count("adversarial") == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"base": BASE | {"trainer": "deceptive"}}, "needs a supervised base, not 'deceptive'"),
        ({"weights": []}, "weights"),
        ({"weights": [-1]}, "weights"),
        ({"training": {"epoch": 3}}, "unknown key 'epoch'; did you mean 'epochs'"),
        ({"blocks": 2}, "a frontier has every combination"),
        ({"choices": {"variant": {"a": {"x": 1}, "b": {"x": 2}}}}, "'variant' is what a study of kind"),
        ({"study": "seeds", "seeds": [3]}, "a study of seeds needs two or more"),
    ],
)
def test_a_wrong_file_is_told_before_any_training(changes: dict[str, Any], message: str) -> None:
    own = ("study", "base", "seeds") if "study" in changes else FRONTIER
    with pytest.raises(UserError) as caught:
        cells_of(read_study({key: FRONTIER[key] for key in own} | changes))
    assert message in str(caught.value)
