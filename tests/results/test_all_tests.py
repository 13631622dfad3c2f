"""The table of all tests of one attention: every number that the studies have, and a place for none."""

from pathlib import Path

import polars as pl
from results.all_tests import all_tests

ABOUT = {"dataset": "sst", "attention": "tanh", "projection": "softmax"}
NAN = float("nan")


def write(
    folder: Path, study: str, encoder: str, findings: list[tuple[str, str, float, float, str]]
) -> None:
    """Write what tests found of a model: test, verdict, value, what it is held against, and of which."""
    rows = [
        ABOUT
        | {"encoder": encoder, "test": test, "says": says, "number": "JSD", "value": value}
        | {"low": value - 0.1, "high": value + 0.1, "beside": beside, "which_is": "a seed", "of": of}
        for test, says, value, beside, of in findings
    ]
    pl.DataFrame(rows).write_csv(folder / f"{study}_side_by_side.csv")


def test_every_test_has_a_row_and_every_model_a_column(tmp_path: Path) -> None:
    exact = ("exact", "against it", 0.5, 0.1, "ε = 0.01")
    write(tmp_path, "whole", "lstm", [exact, ("another seed", "a yardstick", 0.1, NAN, "")])
    write(tmp_path, "words", "average", [("trained", "for it", NAN, 0.1, "none decides as well"), exact])
    head, _, *rows = all_tests(tmp_path, ["whole", "words", "not trained"]).splitlines()
    assert head == "| test | number | held against | lstm tanh softmax | average tanh softmax |"
    found = "**against it**: 0.500 [0.400, 0.600] beside 0.100"
    assert rows == [
        f"| exact | JSD | a seed | {found} | {found} |",
        "| another seed | JSD | a seed | **a yardstick**: 0.100 [0.000, 0.200] | – |",
        "| trained | JSD | a seed | – | **for it**: none decides as well |",
    ]
