"""The program that draws the charts comes out of the folder that keeps it as it went in."""

import json
import re
from pathlib import Path

import pytest
import vl_convert

from attex.report.charts_code import _made, charts_code


@pytest.fixture(scope="module")
def kept_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    charts_code(folder)
    return folder


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> None:
    """Look into the folder again; the program itself, which takes seconds to make, stays in memory."""
    charts_code.cache_clear()


def test_it_is_what_the_library_makes_less_the_tag_that_would_end_it(kept_in: Path) -> None:
    made = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    assert charts_code(kept_in).replace("<\\/script", "</script") == made
    assert not re.search("</script", charts_code(kept_in), re.IGNORECASE)


def test_it_is_made_once(kept_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = charts_code(kept_in)
    charts_code.cache_clear()
    _made.cache_clear()
    monkeypatch.delattr(vl_convert, "javascript_bundle")
    assert charts_code(kept_in) == first


def test_it_is_made_once_in_a_process_for_all_folders(
    kept_in: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = charts_code(tmp_path / "one")
    monkeypatch.delattr(vl_convert, "javascript_bundle")
    assert charts_code(tmp_path / "other") == first == charts_code(kept_in)
    assert [path.name for path in (tmp_path / "other").iterdir()] == [p.name for p in kept_in.iterdir()]


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"code": "alert(1)", "digest": "0"}', "cut"])
def test_what_was_damaged_is_made_again(kept_in: Path, damage: str) -> None:
    whole = charts_code(kept_in)
    (file,) = kept_in.iterdir()
    file.write_text(file.read_text()[:1000] if damage == "cut" else damage)
    charts_code.cache_clear()
    assert charts_code(kept_in) == whole
    assert json.loads(file.read_text())["code"] == whole
