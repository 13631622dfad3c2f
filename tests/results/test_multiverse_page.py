"""What README and the results' pages say of the multiverse is what its tables have."""

from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "results" / "multiverse"
CELL = {"dataset": "sst", "encoder": "lstm", "attention": "tanh", "projection": "softmax"}
QUANTITY = "kendall_tau(attention, gradient)"


def rows(name: str, **where: str) -> pl.DataFrame:
    table = pl.read_csv(PLACE / f"{name}.csv", infer_schema_length=None)
    return table.filter([pl.col(key) == value for key, value in (CELL | where).items()])


def shown(number: float, places: int = 2) -> str:
    return f"{number:.{places}f}".replace("-", "−")


def universes() -> pl.DataFrame:
    table = rows("numbers")
    choices = table.columns[len(CELL) : table.columns.index("seed")]
    return table.group_by(choices).agg(pl.col(QUANTITY, "accuracy").mean())


@pytest.mark.parametrize("page", ["README.md", "docs/results/index.md"])
def test_the_spread_is_that_of_the_models(page: str) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    values = universes()[QUANTITY]
    assert f"{len(values)} " in text
    assert f"from {shown(values.min())} to {shown(values.max())}" in text  # type: ignore[arg-type]
    (spread,) = rows("spread", quantity=QUANTITY).to_dicts()
    assert (spread["least"], spread["most"]) == pytest.approx((values.min(), values.max()), abs=1e-3)


def test_the_shares_and_accuracies_of_the_readme_are_those_of_the_tables() -> None:
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    whole = rows("shares", quantity=QUANTITY, branch="whole design")
    said = {
        "length": "*length* of these vectors has",
        "learning_rate": "learning rate",
        "seeds": "seeds",
        "vectors": "*which* vectors has",
    }
    for term, words in said.items():
        (row,) = whole.filter(pl.col("term") == term).to_dicts()
        share, low, high = (round(100 * row[key]) + 0 for key in ("share", "low", "high"))
        assert f"{words} {share} % [{low}, {high}]" in text, term
    started = universes().filter(pl.col("vectors") != "none")
    assert f"the {len(started)} that start from word vectors" in text
    least, most = (shown(x) for x in (started["accuracy"].min(), started["accuracy"].max()))  # type: ignore[arg-type]
    assert f"within {least} and {most}" in text


def test_every_model_of_a_cell_is_there_and_no_other() -> None:
    table = pl.read_csv(PLACE / "numbers.csv", infer_schema_length=None)
    spread = pl.read_csv(PLACE / "spread.csv").filter(pl.col("quantity") == QUANTITY)
    assert set(table.select(list(CELL)).unique().rows()) == set(spread.select(list(CELL)).rows())
    assert table["seed"].n_unique() == 2
