"""What the checks of `attex.testing` say and leave alone, and the page that shows them."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from promises import NAN, complaint
from torch import Tensor

from attex.agreement import Agreement, kendall_tau
from attex.data.batch import Batch
from attex.importance import attention
from attex.models.classifier import AttentionModel
from attex.testing import ConformanceError, check_agreement, check_importance
from attex.testing import agreement as statistics
from attex.testing import importance as measures
from attex.testing.conformance import furthest

PAGE = Path(__file__).parents[2] / "docs" / "plug-ins.md"


def test_a_name_that_is_not_registered_is_said() -> None:
    with pytest.raises(ValueError, match=r"no measure 'atention'; did you mean 'attention'\?"):
        check_importance("atention")
    with pytest.raises(ValueError, match="no statistic 'kendall'"):
        check_agreement("kendall")


def test_options_are_part_of_the_name() -> None:
    def scaled(a: Tensor, b: Tensor, mask: Tensor, *, by: float) -> Agreement:
        return Agreement(by * kendall_tau(a, b, mask).value)

    check_agreement(scaled, by=1.0)
    with pytest.raises(ConformanceError, match=re.escape("statistic scaled(by=2.0): A value lies in")):
        check_agreement(scaled, by=2.0)


def test_checks_leave_the_callers_random_numbers_alone() -> None:
    before = torch.get_rng_state()
    check_importance("attention")
    check_agreement("kendall_tau")
    assert torch.equal(torch.get_rng_state(), before)


def test_nan_is_far_from_every_number() -> None:
    row = torch.tensor([[1.0, NAN, 3.0]])
    assert furthest(row, row.clone(), 0.0) is None
    assert furthest(row, torch.tensor([[1.5, NAN, 3.0]]), 1.0) is None
    assert furthest(row, torch.tensor([[9.0, 2.0, 3.0]]), 1.0) == (0, 1)


def blocks() -> list[tuple[str, str]]:
    """Return language and text of every fenced block."""
    return re.findall(r"^```(\w+)[^\n]*\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def test_what_the_page_shows_works(tmp_path: Path) -> None:
    commands = []
    for language, text in blocks():
        if language in ("python", "jsonnet"):
            first, _, _ = text.partition("\n")
            (tmp_path / first.lstrip("#/ ")).write_text(text, encoding="utf-8")
        elif language == "sh":
            commands += text.splitlines()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command in commands:
        found = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert found.returncode == 0, (command, found.stdout, found.stderr)
    assert len(commands) == 2
    (table,) = tmp_path.glob("outputs/own/*/tables/agreement.csv")
    rows = table.read_text(encoding="utf-8").splitlines()
    assert any("weighted_norm(order=1.0)" in row and "cosine" in row for row in rows)


def test_the_page_names_every_promise() -> None:
    words = " ".join(PAGE.read_text(encoding="utf-8").split())
    for promise in (*measures.PROMISES, *statistics.PROMISES):
        assert f"- {inspect.getdoc(promise)}" in words


def test_the_message_on_the_page_is_what_is_said() -> None:
    (shown,) = (text for language, text in blocks() if language == "text")

    def weighted_norm(model: AttentionModel, batch: Batch) -> Tensor:
        scores = attention(model, batch)
        return scores / scores.nansum()

    said = complaint(check_importance, weighted_norm, measures.other_texts_do_not_matter)
    # The numbers are those of one machine.
    (until, _), (expected, _) = (text.split("position") for text in (" ".join(shown.split()), said))
    assert until == expected
