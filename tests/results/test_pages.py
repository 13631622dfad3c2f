"""The tables and the figure of the sparsity sweep."""

import json
from typing import Any

import pytest
import vl_convert
from results.meister_2021.figures import PANELS, answer
from results.meister_2021.pages import CHANGES, COUNTED, change_cell, change_rows, count_rows


def row(encoder: str, to: str, key: tuple[str, str], low: float, high: float) -> dict[str, Any]:
    return {
        **{"dataset": "sst", "encoder": encoder, "to": to, "measure": key[0], "quantity": key[1]},
        **{"before": 0.1, "after": 0.25, "change": 0.15, "low": low, "high": high},
    }


@pytest.mark.parametrize(
    ("low", "high", "bold"), [(0.1, 0.2, True), (-0.2, -0.1, True), (-0.1, 0.3, False)]
)
def test_a_change_is_bold_where_its_interval_is_to_one_side(low: float, high: float, bold: bool) -> None:
    written = change_cell(row("lstm", "sparsemax", ("", "sufficiency"), low, high))
    assert written.startswith("0.100 → 0.250: ")
    assert ("**" in written) == bold


def test_models_are_counted_by_the_side_of_their_interval() -> None:
    keys = dict.fromkeys([*COUNTED, *CHANGES])
    rows = [row("lstm", "sparsemax", key, 0.1, 0.2) for key in keys]
    rows += [row("transformer", "sparsemax", key, -0.1, 0.2) for key in keys]
    rows += [row("lstm", "sparsegen_0.9", key, -0.2, -0.1) for key in keys]
    assert {tuple(line[1:]) for line in count_rows(rows)} == {("1 ↑ 0 ↓ 1 –", "0 ↑ 1 ↓ 0 –")}
    about = [line[:3] for line in change_rows(rows)]
    assert about == [
        ["sst", "lstm", "sparsemax"],
        ["sst", "transformer", "sparsemax"],
        ["sst", "lstm", "sparsegen_0.9"],
    ]


def test_the_answer_is_drawn_with_softmax_apart_from_the_line() -> None:
    quantities = [name for panel in PANELS for name in panel[:2] if name]
    levels = [
        {
            **{"dataset": "sst", "encoder": encoder, "projection": projection, "quantity": quantity},
            **{"measure": "leave_one_out", "mean": 0.2, "low": 0.1, "high": 0.3},
        }
        for encoder in ("lstm", "transformer")
        for projection in ("softmax", "sparsegen_-1", "sparsemax")
        for quantity in quantities
    ]
    drawn = vl_convert.vegalite_to_svg(json.dumps(answer(levels)))
    assert drawn.count(">softmax<") == 2 * len(PANELS)
    assert drawn.count("deleting the top 1 %") >= 2
