"""`attex explain` and `attex site`, as a user calls them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import TINY, Attex, write

import attex

TEXT = "The room was lovely, zorb"


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("output")
    attex.run(TINY | {"name": "tiny", "analyses": ["truth"]}, output_dir=folder, device="cpu")
    return str(folder)


def test_lines_of_stdin_are_texts_and_answers_are_lines_of_json(output: str) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "attex", "explain", "tiny", "--json", "--output-dir", output],
        input=f"{TEXT}\n\nlovely\n",
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"FORCE_COLOR": "1"},
    )
    first, second = map(json.loads, found.stdout.splitlines())
    assert found.stderr == ""
    assert first["tokens"] == ["the", "room", "was", "lovely", ",", "zorb"]
    assert first["unknown_words"] == [",", "zorb"]
    (folder,) = Path(output, "tiny").iterdir()
    expected = attex.load_run(folder).explain(TEXT)
    assert first["scores"]["gradient"] == pytest.approx(expected.scores["gradient"])
    assert second["scores"]["leave_one_out"] == [None]


def test_a_text_in_the_terminal(attex_: Attex, output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    code, coloured, _ = attex_("explain", "tiny", TEXT, "--output-dir", output)
    assert code == 0
    assert "\x1b[" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    code, plain, _ = attex_("explain", "tiny", TEXT, "--output-dir", output)
    assert code == 0
    assert "\x1b" not in plain
    assert plain.startswith("tiny, seed 0: ")
    assert "not in the model's vocabulary: ','  'zorb'" in plain
    assert re.search(r"^zorb .* unknown$", plain, re.M)
    told = attex_("explain", "tiny", "the", "room", "--json", "--output-dir", output)[2]
    assert told == "attex: these were 2 texts of one word each; a text of several goes into quotes\n"


def test_texts_as_a_page(attex_: Attex, output: str) -> None:
    hostile = "lovely <script>alert(1)</script>"
    code, page, _ = attex_("explain", "tiny", TEXT, hostile, "--html", "--output-dir", output)
    assert code == 0
    assert page.startswith("<!doctype html>")
    assert page.count('class="attex-text"') == 2
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tniy", "x"], "did you mean 'tiny'?"),
        (["tiny", " "], "' ' has no token that could be scored"),
        (["tiny", "x", "--seed", "5"], "has no model of seed 5; it has 0"),
        (["tiny", "x", "--measure", "atention"], "no measure 'atention'; did you mean 'attention'?"),
        (["tiny", "x", "--json", "--html"], "--json and --html exclude each other: name one"),
    ],
)
def test_what_is_wrong_is_one_line(
    attex_: Attex, output: str, arguments: list[str], message: str
) -> None:
    code, out, err = attex_("explain", *arguments, "--output-dir", output)
    assert (code, out) == (2, "")
    assert err.startswith("attex: ")
    assert err.rstrip().endswith(message)
    assert err.count("\n") == 1


def test_from_an_empty_folder_to_a_site(attex_: Attex) -> None:
    assert attex_("site") == (2, "", "attex: no finished run in outputs\n")
    write("tiny.json", TINY | {"importance": ["attention"], "analyses": ["truth"]})
    assert attex_("run", "tiny.json", "--device", "cpu")[0] == 0
    code, printed, _ = attex_("site")
    assert (code, printed) == (0, "site: open outputs/site/index.html\n")
    assert Path("outputs/site/index.html").is_file()
    code, printed, _ = attex_("site", "outputs", "--to", "published")
    assert (code, printed) == (0, "site: open published/index.html\n")
    assert [*Path("published/pages/tiny").glob("*/report.html")]
    # The list of runs passes the site over.
    assert len(attex_("runs")[1].splitlines()) == 1
