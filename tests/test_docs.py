"""What the docs say of the code is so: numbers, words for everything registered, files and options."""

import re
from pathlib import Path

import pytest
import torch
import typer

from attex.agreement import calibrate
from attex.agreement.statistic import STATISTICS
from attex.analyses.analysis import ANALYSES
from attex.cli import app
from attex.config.registries import REGISTRIES
from attex.runner.engine import ENGINES
from attex.runner.stages import KINDS

DOCS = Path(__file__).parent.parent / "docs"
SOURCE = DOCS.parent / "src" / "attex"
PAGE = DOCS / "top-k.md"
TERM = re.compile(r"^- \*\*(.+?)\*\*(?:, or \*\*(.+?)\*\*)?: \S", re.M)


def glossary() -> list[str]:
    """Return the terms that the glossary explains."""
    found = TERM.findall((DOCS / "glossary.md").read_text(encoding="utf-8"))
    return [term for terms in found for term in terms if term]


def test_the_glossary_explains_each_term_once() -> None:
    terms = glossary()
    assert len(terms) == len(set(terms))
    lines = (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith("- ") for line in lines) == len(TERM.findall("\n".join(lines)))


def test_the_glossary_has_every_kind_every_statistic_and_every_analysis() -> None:
    named = {*REGISTRIES, *(f"`{entry.name}`" for entry in STATISTICS)}
    named |= {entry.target.title for entry in ANALYSES}
    absent = sorted(named - set(glossary()))
    assert not absent, f"docs/glossary.md has no line `- **{absent[0]}**: …`"


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


def test_the_way_through_the_runner_is_ten_lines_of_one_file_each() -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\d+\. .*", page.partition("## From an experiment")[2], re.M)
    files = [re.findall(r"`([\w/]+\.py)`", line) for line in lines]
    assert len(files) == len({names[0] for names in files}) == 10
    for names in files:
        assert len(names) == 1
        assert (SOURCE / names[0]).is_file(), names[0]


COMPONENTS = (
    "readers",
    "encoders",
    "attentions",
    "projections",
    "decoders",
    "architectures",
    "conclusions",
    "trainers",
)
"""Folders of which it is enough to say that they have a file for each component."""


def test_the_picture_of_the_house_has_every_file() -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    picture = page.partition("\nsrc/attex/\n")[2].partition("\n```\n")[0]
    rooms = dict(re.findall(r"^  (\w+)/(.*?)(?=^  \w|\Z)", picture, re.M | re.S))
    of_one_analysis = {entry.name for entry in ANALYSES}
    for path in sorted(SOURCE.glob("**/*.py")):
        room, *between = path.relative_to(SOURCE).parts
        if path.stem == "__init__" or (between and between[0] in COMPONENTS):
            continue
        if room in ("analyses", "charts") and path.stem in of_one_analysis:
            continue
        part = rooms[room] if between else picture
        assert re.search(rf"\b{path.stem}\b", part), f"docs/architecture.md does not say where {path} is"


def test_every_verb_and_every_option_is_on_a_page() -> None:
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    verbs = typer.main.get_command(app)
    assert isinstance(verbs, typer.core.TyperGroup)
    absent = [name for name in verbs.commands if f"`attex {name}" not in page]
    assert not absent, f"docs/command-line.md does not say what attex {absent[0]} does"
    of_all = [option for verb in (verbs, *verbs.commands.values()) for option in verb.params]
    words = {word for option in of_all for word in option.opts if word.startswith("-")}
    named = set(re.findall(r"(?<![\w-])--?[a-z][a-z_-]*", page))
    assert words <= named, f"docs/command-line.md does not name {sorted(words - named)[0]}"
    assert named <= words | {"--help", "--experiment_path"}, named - words


def test_the_page_on_running_names_what_there_is() -> None:
    page = (DOCS / "running.md").read_text(encoding="utf-8")
    command = typer.main.get_command(app).commands["run"]  # type: ignore[attr-defined]
    known = {word for option in command.params for word in option.opts}
    blocks = "".join(re.findall(r"^```sh[^\n]*\n(.*?)^```", page, re.M | re.S))
    used = set(re.findall(r"(?<!\S)--[a-z-]+", blocks))
    assert used <= known, used - known
    rows = set(re.findall(r"^\| `(\w+)`", page, re.M))
    for entry in ENGINES:
        options = set(entry.options.model_fields) - {"type"}
        assert {entry.name, *options} <= rows, entry.name
    assert all(f"`{kind}`" in page for kind in KINDS if kind != "masked")
