"""The program that draws the charts comes out of the folder that keeps it as it went in."""

import json
import re
from pathlib import Path

import pytest
import vl_convert

from attex.report.charts_code import charts_code


@pytest.fixture(scope="module")
def kept_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    charts_code(folder)
    return folder


@pytest.fixture(autouse=True)
def a_new_process() -> None:
    charts_code.cache_clear()


def test_it_is_what_the_library_makes_less_the_tag_that_would_end_it(kept_in: Path) -> None:
    made = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    assert charts_code(kept_in).replace("<\\/script", "</script") == made
    assert not re.search("</script", charts_code(kept_in), re.IGNORECASE)


def test_it_is_made_once(kept_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = charts_code(kept_in)
    charts_code.cache_clear()
    monkeypatch.delattr(vl_convert, "javascript_bundle")
    assert charts_code(kept_in) == first


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"code": "alert(1)", "digest": "0"}', "cut"])
def test_what_was_damaged_is_made_again(kept_in: Path, damage: str) -> None:
    whole = charts_code(kept_in)
    (file,) = kept_in.iterdir()
    file.write_text(file.read_text()[:1000] if damage == "cut" else damage)
    charts_code.cache_clear()
    assert charts_code(kept_in) == whole
    assert json.loads(file.read_text())["code"] == whole
