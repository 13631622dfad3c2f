"""RACU against closed forms, and a study of kind roar on texts whose deciding words are known."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from attex.foundations.errors import UserError
from attex.runner.engine import choose_engine
from attex.runner.workspace import Workspace
from attex.studies.parts.retrained import Retrained, retrained_part
from attex.studies.racu import racu
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.running import run_study
from attex.studies.study_file import read_study
from attex.studies.universes import cells_of

TENTHS = np.linspace(0, 1, 11)
FALLING = (1 - 0.5 * TENTHS)[:, None].repeat(3, axis=1)
"""Accuracy falls from 1 to ½ with the share of random tokens that is masked, for three seeds."""


def test_random_tokens_come_to_nothing_and_a_perfect_measure_to_what_the_grid_allows() -> None:
    assert racu(TENTHS, FALLING, FALLING).value == 0
    perfect = np.full_like(FALLING, 0.5)
    perfect[0] = 1
    # All is lost at the first step: a triangle of 0.1 · ½ / 2 is missing of one of 1 · ½ / 2.
    found = racu(TENTHS, perfect, FALLING)
    assert found.value == pytest.approx(0.9)
    assert found.as_released == pytest.approx(0.9)
    assert (found.low, found.high) == pytest.approx((0.9, 0.9)), "the seeds are all alike"
    fifths = racu(TENTHS[::2], perfect[::2], FALLING[::2])
    assert fifths.value == pytest.approx(0.8)


def test_areas_are_summed_over_seeds_before_they_are_divided() -> None:
    random = np.stack([1 - 0.5 * TENTHS, 1 - 0.1 * TENTHS] * 3, axis=1)
    measure = random - np.array([0.2, 0.3] * 3) * TENTHS[:, None]
    found = racu(TENTHS, measure, random)
    # Triangles: 0.2 / 2 and 0.3 / 2 between the curves, 0.5 / 2 and 0.1 / 2 to the end of random.
    assert found.value == pytest.approx((0.2 + 0.3) / (0.5 + 0.1))
    assert found.as_released == pytest.approx((0.4 + 1.0) / 2), "3 is clipped to 1"


def test_the_interval_has_its_level_over_seeds() -> None:
    """Seeds drawn again and again: about 95 of 100 intervals hold the ratio of the mean areas."""
    rng, held = np.random.default_rng(0), 0
    for _ in range(300):
        lost = 0.5 + 0.05 * rng.normal(size=5)
        gained = 0.2 + 0.05 * rng.normal(size=5)
        random = 1 - lost * TENTHS[:, None]
        found = racu(TENTHS, random - gained * TENTHS[:, None] * (1 - TENTHS[:, None]), random)
        # ∫ t(1 − t) by trapezoids over tenths is 0.165, and ∫ (1 − t) is ½.
        held += found.low <= 0.2 * 0.165 / (0.5 * 0.5) <= found.high
    assert 0.91 <= held / 300 <= 0.99


def test_what_is_not_known_is_left_out_and_counted() -> None:
    measure = FALLING - 0.1
    measure[3, 1] = np.nan
    assert racu(TENTHS, measure, FALLING).seeds == 2
    assert racu(TENTHS, measure, FALLING).value == pytest.approx(0.1 / 0.25)
    flat = np.ones_like(FALLING)
    assert np.isnan(racu(TENTHS, flat - 0.1, flat).value), "random tokens cost nothing"


def test_what_random_tokens_cost_must_be_told_from_nothing() -> None:
    """Where random tokens cost nothing 1 study in 40 says that they do; where they cost much, all do."""
    rng = np.random.default_rng(1)

    def told(cost: float) -> float:
        noise = 0.02 * rng.normal(size=(400, len(TENTHS), 5))
        flat = 1 - cost * TENTHS[:, None] + noise
        return float(np.mean([not np.isnan(racu(TENTHS, one - 0.1, one).value) for one in flat]))

    assert told(0.0) < 0.05
    assert told(0.3) == 1


def test_texts_that_were_drawn_again_count_too() -> None:
    rng = np.random.default_rng(2)
    random = (1 - 0.1 * TENTHS)[:, None].repeat(3, axis=1)
    of_texts = 0.2 * rng.normal(size=200)
    draws = random[..., None] + of_texts * (1 - TENTHS)[:, None, None]
    assert racu(TENTHS, random, random).value == 0
    assert np.isnan(racu(TENTHS, random, random, draws, draws).value), (
        "with other texts it may be nothing"
    )


BASE: dict[str, Any] = {
    "data": {"type": "planted", "task": "keyword", "sizes": [300, 60, 100]},
    "model": {"embedding_width": 8, "encoder": {"type": "average", "hidden": 8}},
    "trainer": {"epochs": 6, "learning_rate": 0.03},
}
STUDY: dict[str, Any] = {
    "study": "roar",
    "base": BASE,
    "measures": ["attention", "truth"],
    "steps": 2,
    "seeds": [0],
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = Workspace.at(output=tmp_path_factory.mktemp("roar"), device="cpu")
    engine = choose_engine(None, 1, {}, workspace)
    path, failed = run_study(read_study(STUDY), workspace, engine)
    assert path is not None
    assert failed == 0
    return path


def test_the_words_that_decide_are_missed_most(finished: Path) -> None:
    table = pl.read_csv(finished / "tables" / "racu.csv")
    by_measure = {name[0]: rows for name, rows in table.group_by("measure")}
    assert by_measure["random"]["racu"].to_list() == [0, 0]
    curves = pl.read_csv(finished / "tables" / "retrained.csv").filter(masking="plain")
    of = {(row["measure"], row["share"]): row["value"] for row in curves.iter_rows(named=True)}
    ends = {share: {of[m, share] for m in ("attention", "truth", "random")} for share in (0, 1)}
    assert len(ends[0]) == len(ends[1]) == 1, "curves begin and end at the same models"
    assert of["truth", 0] > 0.9
    assert of["truth", 0.5] < 0.7, "half of the tokens are masked, and the one that decides is of them"
    # The most that this grid allows: all is lost at ½.
    start, end = of["random", 0], of["random", 1]
    lost = (start + 2 * of["random", 0.5] + end) / 4 - end
    most = (of["random", 0.5] - end) / 2 / lost
    assert by_measure["truth"]["racu"].to_list() == pytest.approx([most, most], abs=0.15)


def test_models_that_are_the_same_are_trained_once(finished: Path) -> None:
    cache = finished.parents[1] / ".cache" / "2"
    # Half of the tokens by attention (the first step of recursion is plain), truth, chance; and all.
    assert len([*(cache / "masked").glob("*/stage.json")]) == 4
    models = {path.parent for path in cache.rglob("model.safetensors")}
    assert len(models) == 2, "that of whole texts, and what recursion may ask again"
    page = (finished / "report.html").read_text()
    assert "the tokens that truly decide come to" in page
    keys = [one["key"] for one in json.loads((finished / "manifest.json").read_text())["models"]]
    assert len(keys) == len(set(keys)) < 2 * 3 * 3, "a model that several settings have counts once"
    assert f"{len(keys)} models" in page


def test_numbers_are_there_before_the_last_texts_are_masked(finished: Path) -> None:
    """What is stopped half way has the numbers of the models that it made."""
    cache = finished.parents[1] / ".cache" / "2"
    made = {
        kind: [path.stat().st_mtime_ns for path in (cache / kind).glob("*/stage.json")]
        for kind in ("numbers", "masked")
    }
    assert min(made["numbers"]) < max(made["masked"])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"measures": ["attenton"]}, "no measure 'attenton'; did you mean 'attention'"),
        ({"steps": 1}, "steps: should be greater than or equal to 2"),
        ({"blocks": 2}, "blocks: a study of kind 'roar' has every combination"),
        ({"masking": ["deep"]}, "masking"),
        ({"base": BASE | {"masked": {"share": 0.5}}}, "base.masked: a study of kind 'roar' itself says"),
    ],
)
def test_a_wrong_file_is_refused_in_a_line(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError) as refused:
        cells_of(read_study(STUDY | changes))
    assert said in str(refused.value)


def test_a_curve_that_is_not_whole_says_so_and_has_no_line_across_the_gap() -> None:
    # Shares 0, ½, 1; two seeds. Of attention the second seed has no model at ½, of gradient none has.
    choices = {"masking": ("plain",), "measure": ("attention", "gradient", "random")}
    runs_of = {"attention": [[1, 1], [0, np.nan], [0, 0]], "gradient": [[1, 1], [np.nan] * 2, [0, 0]]}
    values = [*runs_of.values(), [[1, 1], [0.5, 0.5], [0, 0]]]
    cell = CellRuns(
        {"dataset": "sst"},
        np.array([[0, measure, share] for measure in range(3) for share in range(3)]),
        (0, 1),
        {"accuracy": np.concatenate(values).astype(float)},
        {},
    )
    runs = RunSet(choices | {"share": ("0", "0.5", "1")}, (cell,))
    part = retrained_part(Retrained(runs, "accuracy", "random", (0, 0.5, 1)))
    first, second = part.sentences
    assert "RACU 0.50" in first
    assert first.endswith("(seeds with a whole curve: 1 of 2).")
    assert second.endswith("no RACU yet: no seed has its whole curve.")
    (drawn,) = (chart for name, chart in part.charts.items() if name.startswith("retrained"))
    rows = [row for layer in drawn["datasets"].values() for row in layer]
    assert {"masking": "plain", "measure": "gradient", "share": 0.5}.items() <= rows[4].items()
    assert rows[4]["value"] is None, "a line ends before it and begins after it"


def test_a_quantity_that_predictions_lack_is_refused_before_any_training(tmp_path: Path) -> None:
    workspace = Workspace.at(output=tmp_path, device="cpu")
    with pytest.raises(UserError, match=r"quantity: predictions have no 'acuracy'; did you mean 'acc"):
        run_study(
            read_study(STUDY | {"quantity": "acuracy"}), workspace, choose_engine(None, 1, {}, workspace)
        )
