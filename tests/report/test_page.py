"""The report holds dataset text as text, and no address on the network that it would load."""

import json
import re
from pathlib import Path

import pytest

import attex
from attex.report.page import script_safe

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("evil")
    rows = [
        {"text": f'{EVIL} <img src=x onerror=alert(2)> {word} & "film" \' {i}', "label": label}
        for i in range(40)
        for word, label in (("good", "<b>pos"), ("bad", "neg&"))
    ]
    file = folder / "evil.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    experiment = {
        "data": {"type": "jsonl", "path": str(file), "tokenizer": "whitespace"},
        "model": {"embedding_width": 8, "encoder": {"type": "average", "hidden": 4}},
        "trainer": {"epochs": 1},
    }
    run = attex.run(experiment, output_dir=folder / "out", device="cpu")
    assert isinstance(run, attex.Run)
    return run.report.read_text(encoding="utf-8")


def body(page: str) -> str:
    """The page less its own style and scripts."""
    return re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)


def test_dataset_text_is_escaped(page: str) -> None:
    assert EVIL not in page
    assert "<img" not in body(page)
    assert "&lt;b&gt;pos" in page
    assert "<b>pos" not in body(page)


def test_nothing_is_loaded_from_elsewhere(page: str) -> None:
    assert not re.findall(r"<(?:link|img|iframe)\b", body(page))
    assert not re.findall(r"<script[^>]*\bsrc=", page)
    assert "@import" not in body(page)


def test_a_chart_title_cannot_end_its_script(page: str) -> None:
    data = re.search(r'<script type="application/json" id="charts">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    charts = json.loads(data[1])
    assert "kendall_tau" in charts
    assert json.loads(script_safe(json.dumps({"a": "</script><!--"}))) == {"a": "</script><!--"}


def test_the_page_shows_every_measure_and_the_configuration(page: str) -> None:
    text = body(page)
    for words in ("attention", "gradient", "leave_one_out", "In short", "What went in"):
        assert words in text
    assert Path("evil.jsonl").name in text


def test_an_attention_without_a_projection_has_a_page_too(tmp_path: Path) -> None:
    experiment = {
        "data": {"type": "planted", "sizes": [20, 10, 10]},
        "model": {
            "embedding_width": 4,
            "encoder": {"type": "average", "hidden": 4},
            "attention": "last",
        },
        "trainer": {"epochs": 1},
        "importance": ["attention"],
        "analyses": [],
    }
    run = attex.run(experiment, output_dir=tmp_path, device="cpu")
    assert isinstance(run, attex.Run)
    header = re.search("<header>.*?</header>", run.report.read_text(encoding="utf-8"), re.DOTALL)
    assert header is not None
    assert " ".join(header[0].split()).count("·") == 4
    assert "last attention · 1 seed" in " ".join(header[0].split())


def test_every_chart_has_its_caption(page: str) -> None:
    places = re.findall(r"<figure>.*?</figure>", body(page), re.DOTALL)
    assert places
    assert all("data-chart=" in place for place in places)
    assert all(re.search(r"<figcaption>\w.*\.</figcaption>", place) for place in places)
