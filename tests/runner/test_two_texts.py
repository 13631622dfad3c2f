"""Texts with a query from the configuration to the run folder: what is refused, and what is compared."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau
from toys import few, measures_of

import attex
from attex.analyses.analysis import ANALYSES
from attex.foundations.errors import UserError
from attex.importance.measure import MEASURES

TINY: dict[str, Any] = {
    "name": "asked",
    "data": {"type": "planted", "task": "question", "sizes": [60, 20, 24]},
    "model": {
        "embedding_width": 6,
        "encoder": {"type": "lstm", "hidden": 4},
        "decoder": "query",
        "query": {},
    },
    "trainer": {"epochs": 1, "metric": "accuracy"},
    "seeds": [0],
}
WITHOUT = {"task": "keyword"}


def run(output: Path, **changed: Any) -> attex.Run:
    finished = attex.run(TINY | changed, output_dir=output, device="cpu")
    assert isinstance(finished, attex.Run)
    return finished


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("two_texts")


def test_every_measure_works_with_a_query(output: Path) -> None:
    chosen = [{"type": name} | few(name) for name in measures_of("lstm")]
    finished = run(output, importance=chosen, analyses=["measures"])
    titles = {MEASURES.spec(measure).title for measure in chosen}
    assert set(finished.tables["measures"]["measure"]) == titles


def test_every_analysis_works_with_a_query(output: Path) -> None:
    finished = run(
        output,
        importance=["attention", "gradient", "gradient_norm", "gradient_norm[hidden]"],
        analyses=[entry.name for entry in ANALYSES],
    )
    manifest = json.loads((finished.path / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["left_out"] == {
        "adversarial (exact)": "the maximum is known of two classes and a linear decoder only",
        "impermissible": "the data marks no token as impermissible",
        "stacked_attention": "the model has no layers of self-attention",
    }
    assert set(finished.tables["adversarial"]["method"]) == {"search"}
    page = finished.report.read_text(encoding="utf-8")
    assert "the maximum is known of two classes" in page


def test_scores_of_both_texts_of_a_pair_are_compared_at_once(output: Path) -> None:
    pair = TINY["model"] | {"decoder": "pair", "query": {"shared": True}}
    finished = run(output, model=pair, importance=["attention", "leave_one_out"], analyses=["agreement"])
    values = []
    for row in finished.instances.to_dicts():
        both = [[*row[m], *row[f"{m} (query)"]] for m in ("attention", "leave_one_out")]
        assert len(both[0]) == len(row["tokens"]) + len(row["query"])
        values.append(kendalltau(*both).statistic)
    overall = finished.tables["agreement"].filter(pl.col("class") == "overall")
    assert overall["mean"][0] == pytest.approx(np.nanmean(values), abs=1e-9)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"model": {"encoder": "average"}},
            "the texts come with a query, which the model does not take; "
            "set model.query to {} and model.decoder to query",
        ),
        (
            {"data": TINY["data"] | WITHOUT},
            "model.query: the texts come without a query; leave it out",
        ),
    ],
)
def test_a_model_asks_where_texts_have_a_query_and_only_there(
    changed: dict[str, Any], message: str, output: Path
) -> None:
    with pytest.raises(UserError) as caught:
        run(output, **changed)
    assert message in str(caught.value)
