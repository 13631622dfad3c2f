"""Results of code that has changed since are told of, and made anew when asked."""

from pathlib import Path

import pytest
from small_runs import EXPERIMENT

import attex
from attex.foundations.errors import UserError
from attex.foundations.storage import digest, read_json, write_json

SMALL = EXPERIMENT | {"seeds": [0], "analyses": ["agreement"]}


def run(output: Path, **options: object) -> None:
    attex.run(SMALL, output_dir=output, device="cpu", **options)


def with_other_code(output: Path, module: str) -> None:
    """Make records say that they were made with another version of a module."""
    for path in (output / ".cache" / "2").glob("*/*/stage.json"):
        record = read_json(path)
        del record["digest"]
        if module in record["code"]:
            record["code"][module] = "of another day"
            write_json(path, record | {"digest": digest(record)})


def test_changed_code_is_told_in_one_line_with_the_way_to_make_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path)
    capsys.readouterr()
    run(tmp_path)
    assert "has changed" not in capsys.readouterr().err
    with_other_code(tmp_path, "attex.importance.gradients")
    run(tmp_path)
    said = [line for line in capsys.readouterr().err.splitlines() if "has changed" in line]
    assert said == [
        "importance: attex.importance.gradients has changed since 1 cached result of this experiment "
        "came about; --recompute importance makes them anew"
    ]


@pytest.mark.parametrize(
    ("asked", "made"),
    [
        ("importance=gradient", ["importance: gradient, seed 0"]),
        ("importance", [f"importance: {m}, seed 0" for m in ("attention", "gradient", "leave_one_out")]),
        ("training", ["training: walk, seed 0"]),
    ],
)
def test_what_is_asked_for_is_made_anew_and_what_comes_out_the_same_starts_nothing(
    asked: str, made: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path)
    capsys.readouterr()
    run(tmp_path, recompute=[asked])
    kinds = ("corpus", "training", "predictions", "importance", "findings", "analysis")
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith(kinds)]
    assert said == made


@pytest.mark.parametrize("asked", ["importnace", "importnace=gradient", "", "="])
def test_a_kind_that_does_not_exist_is_answered_with_the_nearest(asked: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no kind of stage"):
        run(tmp_path, recompute=[asked])
