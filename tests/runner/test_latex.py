"""Tables that a paper can use: what LaTeX makes of them, and what stands in them."""

import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from small_runs import EXPERIMENT

import attex
from attex.runner.latex import to_latex

VIEW = pl.DataFrame(
    {
        "measure_b": ["leave_one_out", "50 % & more_$#{}~^\\<|>"],
        "mean": [-0.0756, float("nan")],
        "low": [-0.152, float("nan")],
        "high": [-0.0001, float("nan")],
        "null": [None, 0.5],
        "n": [20, 10],
    }
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> attex.Run:
    every = ["truth", "agreement", "erasure", "permutation", "faithfulness"]
    made = attex.run(
        EXPERIMENT | {"analyses": every}, output_dir=tmp_path_factory.mktemp("out"), device="cpu"
    )
    assert isinstance(made, attex.Run)
    return made


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))]


def test_a_number_and_its_interval_are_one_cell_and_what_is_undefined_a_dash() -> None:
    lines = to_latex(VIEW, "of\nsomething").splitlines()
    assert lines[0] == "% of something"
    assert lines[2] == r"\begin{tabular}{lr@{\,}lrr}"
    assert cells(lines[4]) == ["measure b", r"\multicolumn{2}{c}{mean}", "chance", "n"]
    assert cells(lines[6]) == [
        r"leave\_one\_out",
        "$-0.076$",
        r"{\scriptsize $[-0.152, 0.000]$}",
        "--",
        "20",
    ]
    assert cells(lines[7])[1:] == ["--", "", "$0.500$", "10"]
    assert [line for line in lines if line.endswith("rule")] == [
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
    ]


def test_every_table_of_a_run_is_its_view(finished: attex.Run) -> None:
    files = {path.stem: path.read_text(encoding="utf-8") for path in finished.path.glob("tables/*.tex")}
    # Every number of every seed is for programs, and no table of a paper.
    assert set(files) == set(finished.view) - {"numbers"}
    for name, text in files.items():
        view = finished.view[name]
        assert text.startswith(f"% Table {name}: experiment walk, dataset planted")
        assert str(finished.path) not in text
        rows = text.partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()
        assert len(rows) == len(view)
        width = len(re.sub(r"@\{.*?\}", "", re.findall(r"tabular\}\{(.*)\}", text)[0]))
        assert all(len(cells(row)) == width for row in rows), name


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_sets_them(finished: attex.Run, tmp_path: Path) -> None:
    tables = [path.read_text(encoding="utf-8") for path in sorted(finished.path.glob("tables/*.tex"))]
    body = "\n\n".join([*tables, to_latex(VIEW, "odd letters")])
    page = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 1000
