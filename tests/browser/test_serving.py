"""`attex serve`: the page of a run on loopback, where a text that is typed in is read at once."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import attex
from attex.foundations.errors import UserError
from attex.report.serve_page import with_typing

httpx = pytest.importorskip("httpx", reason="needs httpx")
pytest.importorskip("starlette", reason="needs starlette: pip install 'attex[serve]'")
pytest.importorskip("uvicorn", reason="needs uvicorn: pip install 'attex[serve]'")

TEXT = '<img/src=x/onerror="window.hacked=1"> good film and zorb'
WHITESPACE = TEXT.split()
"""The run of these tests cuts texts at white space."""


@pytest.fixture(scope="module")
def address(run: attex.Run) -> Iterator[str]:
    """Where the real command serves the run; it is interrupted at the end, as with Ctrl-C."""
    command = [sys.executable, "-m", "attex", "serve", str(run.path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            line = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            assert found, (line, process.stderr.read())
            yield found[0]
        finally:
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
    assert "Traceback" not in errors


def ask(address: str, **question: Any) -> Any:
    return httpx.post(f"{address}/explain", json=question, timeout=60)


def test_a_text_is_answered_as_python_explains_it(address: str, run: attex.Run) -> None:
    found = ask(address, text=TEXT).json()
    assert found["tokens"] == WHITESPACE
    assert set(found["seeds"]) == {"0", "1"}
    for seed in (0, 1):
        expected = run.explain(TEXT, seed=seed)
        answer = found["seeds"][str(seed)]
        assert found["known"] == expected.known
        for measure, scores in expected.scores.items():
            assert answer["scores"][measure] == pytest.approx(scores, abs=1e-6)
        assert answer["attention"] == pytest.approx(expected.scores["attention"], abs=1e-6)
        # A linear head: the output follows from attention and values alone.
        (bias,) = answer["head"]["bias"]
        logit = bias + sum(a * v[0] for a, v in zip(answer["attention"], answer["values"], strict=True))
        assert [logit] == pytest.approx(answer["logits"], abs=1e-5)
        for shares in answer["influence"]:
            assert sum(shares) == pytest.approx(1)
    tokens = ask(address, tokens=WHITESPACE, seeds=[1]).json()
    assert set(tokens["seeds"]) == {"1"}
    assert tokens["seeds"]["1"] == found["seeds"]["1"]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"text": " "}, "no token that could be scored"),
        ({"text": 5}, "expected an object with a text"),
        ({"tokens": ["a", 5]}, "expected an object with a text"),
        ({"text": "good", "seeds": [7]}, "the run has seeds 0, 1"),
        ({"text": "a " * 20_000}, "more than 20,000 letters"),
    ],
)
def test_what_cannot_be_answered_is_said(address: str, question: Any, message: str) -> None:
    answer = ask(address, **question)
    assert answer.status_code == 400
    assert message in answer.json()["error"]


def test_only_this_page_can_ask(address: str) -> None:
    form = httpx.post(
        f"{address}/explain", content=b'{"text": "good"}', headers={"content-type": "text/plain"}
    )
    assert form.status_code == 400
    renamed = httpx.get(address, headers={"host": "elsewhere.example"})
    assert renamed.status_code == 400
    assert httpx.get(f"{address}/..%2f..%2fhostile.jsonl").status_code == 404
    assert httpx.get(f"{address}/explorer/seed-1.js").status_code == 200


def test_a_port_that_is_taken_is_said(address: str, run: attex.Run) -> None:
    port = address.rpartition(":")[2]
    command = [sys.executable, "-m", "attex", "serve", str(run.path), "--port", port]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == f"attex: port {port} is taken: name another with --port, or 0 for any\n"


def test_a_page_without_an_explorer_is_refused() -> None:
    with pytest.raises(UserError, match="no explorer"):
        with_typing("<html><body></body></html>")


@pytest.fixture(scope="module")
def page(browser: Any, address: str) -> Iterator[Any]:
    troubles: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((address, "data:", "blob:")) else troubles.append(asked.url)
        ),
    )
    page.goto(address)
    yield page
    assert not troubles
    page.close()


def test_a_text_that_is_typed_is_shown_at_once(page: Any, run: attex.Run) -> None:
    page.get_by_label("Type a text").fill(TEXT)
    page.wait_for_selector("#typed[data-seeds='2']")
    about = page.locator("#explorer [data-x=about]").inner_text()
    expected = run.explain(TEXT)
    assert f"predicted {expected.prediction}" in about
    assert f"{100 * expected.probabilities[expected.prediction]:.1f} %" in about
    assert "zorb" in page.locator("#typed-status").inner_text()
    assert page.evaluate("window.hacked") is None
    page.locator("#explorer [data-x=seed]").select_option("1")
    other = run.explain(TEXT, seed=1)
    page.wait_for_function(
        "wanted => document.querySelector('#explorer [data-x=about]').innerText.includes(wanted)",
        arg=f"predicted {other.prediction} with {100 * other.probabilities[other.prediction]:.1f} %",
    )


def test_what_is_wrong_with_a_text_is_said_in_the_page(page: Any) -> None:
    page.get_by_label("Type a text").fill("a " * 20_000)
    page.wait_for_function("document.getElementById('typed-status').innerText.includes('20,000')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_box_is_accessible(browser: Any, address: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = browser.new_page(color_scheme=scheme)
    page.goto(address)
    page.get_by_label("Type a text").fill("good film")
    page.wait_for_selector("#typed[data-seeds='2']")
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()
    page.close()
