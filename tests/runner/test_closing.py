"""The answer in one sentence: numbers of the headlines, and on which side of chance they lie."""

from pathlib import Path

import pytest
from small_runs import EXPERIMENT, finished, run_folders, write

import attex
from attex.analyses.analysis import Headline
from attex.runner.closing import answer, closing_line


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(0.2, 0.4, "More than"), (-0.4, -0.2, "Less than"), (-0.1, 0.4, "No more than")],
)
def test_the_whole_interval_decides(low: float, high: float, words: str) -> None:
    value = (low + high) / 2
    line = answer(Headline("Alike?", "tau", value, low, high, 0.0, 0.9))
    assert line == f"Alike? {words} by chance: tau {value:.2f} [{low:.2f}, {high:.2f}] " + (
        "(chance 0.00, at most 0.90)"
    )


def test_what_has_no_chance_no_interval_or_no_value() -> None:
    assert (
        answer(Headline("How much?", "TVD", 0.25, 0.2, 0.3, None)) == "How much? TVD 0.25 [0.20, 0.30]"
    )
    assert answer(Headline("How much?", "TVD", -0.001, -0.1, 0.1, None)) == (
        "How much? TVD 0.00 [-0.10, 0.10]"
    )
    assert answer(Headline("How much?", "TVD", 0.0123, 0.0, 0.02, None)) == (
        "How much? TVD 0.0123 [0.0000, 0.0200]"
    )
    assert answer(Headline("How much?", "TVD", 0.25, None, None, 0.5)) == (
        "How much? TVD 0.25 (chance 0.50)"
    )
    assert "cannot be said: tau is undefined" in answer(
        Headline("Alike?", "tau", None, None, None, None)
    )


@pytest.mark.parametrize(("low", "guesses"), [(0.51, False), (0.49, True)])
def test_of_a_model_that_only_guesses_it_says_so(low: float, guesses: bool, tmp_path: Path) -> None:
    rows = [
        "analysis,question,quantity,value,low,high,chance,ceiling",
        f"performance,Right?,accuracy,0.55,{low},0.6,0.5,",
        "truth,Found?,AUPRC,0.3,0.25,0.35,0.2,",
    ]
    (tmp_path / "headlines.csv").write_text("\n".join(rows) + "\n")
    line = closing_line(tmp_path)
    assert line.startswith(f"accuracy 0.55 [{low}, 0.60] (chance 0.50). ")
    assert ("no decision to explain" in line) == guesses
    assert line.endswith("Found? More than by chance: AUPRC 0.30 [0.25, 0.35] (chance 0.20)")


def test_a_command_ends_with_the_answer_and_the_report(copied: Path, tmp_path: Path) -> None:
    done = finished(write(tmp_path, EXPERIMENT | {"analyses": ["agreement", "truth"]}), copied)
    said, report = done.stdout.splitlines()
    run = attex.load_run(run_folders(copied)[0])
    assert report == f"walk: open {run.report}"
    assert said == f"walk: {run.answer}"
    rows = {row["question"]: row for row in run.summary.to_dicts()}
    accuracy = rows["How often is the model right?"]
    tau = rows["Do attention and leave_one_out rank tokens alike?"]
    assert said.startswith(f"walk: accuracy {accuracy['value']:.2f} [{accuracy['low']:.2f}, ")
    assert f"{tau['question']} " in said
    assert f"kendall_tau {round(tau['value'], 2) + 0.0:.2f} [" in said


def test_of_undefined_agreement_it_says_so(tmp_path: Path) -> None:
    config = EXPERIMENT | {
        "seeds": [0],
        "model": {"embedding_width": 4, "encoder": {"type": "average", "hidden": 2}}
        | {"attention": {"type": "tanh", "projection": "uniform"}},
        "analyses": ["agreement"],
    }
    run = attex.run(config, output_dir=tmp_path, device="cpu")
    assert isinstance(run, attex.Run)
    assert "It cannot be said: kendall_tau is undefined for every text" in run.answer
