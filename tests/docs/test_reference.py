"""The reference is what the code says, and each name has an example that would start."""

import sys
from types import ModuleType

import pytest
from snippets import ROOT, snippets

from attex.analyses.analysis import ANALYSES
from attex.config.loading import validate
from attex.config.registries import REGISTRIES
from attex.data.corpus import build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.runner.engine import ENGINES
from attex.studies.conclusion import CONCLUSIONS
from attex.studies.study import STUDIES

sys.path.insert(0, str(ROOT / "docs"))
from making import published_keys, quantity_table, reference_pages

KINDS = REGISTRIES | {kind.kind: kind for kind in (ENGINES, STUDIES, CONCLUSIONS)}


def test_the_reference_is_what_the_code_says() -> None:
    folder = ROOT / "docs" / "reference"
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert there == reference_pages.pages(), "run `make reference`"


@pytest.mark.parametrize("table", [published_keys, quantity_table], ids=["published", "quantities"])
def test_the_tables_of_other_pages_are_what_the_code_says(table: ModuleType) -> None:
    assert table.PAGE.read_text(encoding="utf-8") == table.page(), "run `make reference`"


@pytest.mark.parametrize("kind", KINDS)
def test_every_name_has_a_heading_and_an_example(kind: str) -> None:
    page = (ROOT / "docs" / "reference" / f"{kind}.md").read_text(encoding="utf-8")
    language = "sh" if kind == "engine" else "jsonnet"
    shown = [one.text for one in snippets(f"docs/reference/{kind}.md") if one.language == language]
    names = [entry.name for entry in KINDS[kind]]
    assert len(shown) == len(names)
    for name, example in zip(names, shown, strict=True):
        assert f"\n## `{name}`\n" in page
        assert name in example


@pytest.mark.parametrize("name", [entry.name for entry in ANALYSES])
def test_the_example_of_an_analysis_would_start(name: str) -> None:
    config = validate(reference_pages.example("analysis", name))
    corpus = build_corpus(
        READERS.bind(READERS.spec({"type": "planted", "sizes": [20, 10, 10]})), DataFolder.at(None)
    )
    (spec,) = config.analyses
    ANALYSES.bind(spec).check(corpus, config.importance)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 10**9}, "a whole number ≥ 1"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text"),
        (
            {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}},
            "an array, each a number > 0",
        ),
        ({"enum": ["a", 1]}, '`"a"`, `1`'),
    ],
)
def test_what_an_option_takes_is_said_in_words(schema: dict[str, object], words: str) -> None:
    assert reference_pages.takes(schema) == words
