"""Numbers that the docs state about the statistics are those the code gives."""

import re
from pathlib import Path

import pytest
import torch

from attex.agreement import calibrate
from attex.agreement.statistic import STATISTICS

PAGE = Path(__file__).parent.parent / "docs" / "top-k.md"


@pytest.mark.parametrize(
    ("words", "statistic"), [("as published", "top_k_published"), ("corrected", "top_k")]
)
@pytest.mark.parametrize("rankings", ["disjoint lists", "unrelated rankings of 20 tokens"])
def test_the_top_k_page_states_what_the_statistics_give(
    words: str, statistic: str, rankings: str
) -> None:
    line = next(x for x in PAGE.read_text().splitlines() if x.startswith(f"| {rankings}, {words} |"))
    stated = [float(x.replace("−", "-")) for x in re.findall(r"[+−]?\d[\d.]*", line.split("|", 2)[2])]
    falling = torch.arange(20, 0, -1)[None].double()
    everything = torch.ones_like(falling, dtype=torch.bool)
    for k, value in zip((1, 2, 3, 5, 10), stated, strict=True):
        if rankings == "disjoint lists":
            found = float(STATISTICS[statistic].target(falling, -falling, everything, k=k).value)
        else:
            found = float(calibrate(statistic, falling, falling, everything, draws=1, k=k).null)
        assert value == pytest.approx(found, abs=0.0051)
