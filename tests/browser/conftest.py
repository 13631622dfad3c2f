"""A real browser (Debian's Chromium), and a run whose page it opens; skipped where there is none."""

import functools
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from explorer_page import watch

import attex

HOSTILE = '<img/src=x/onerror="window.hacked=1">'
"""A word, a part of a label and of a name that would run a script if it were taken for markup."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> attex.Run:
    """A tiny run of two seeds whose words, labels and names are hostile, and some words unknown."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = [
        {
            "text": f"{HOSTILE} {word} film {'long ' * (i % 7)}and </script> rare{i} {i % 5}",
            "label": label,
            "name": f"{HOSTILE} {word} {i}",
        }
        for i in range(60)
        for word, label in (("good", f"pos{HOSTILE}"), ("bad", "neg&"))
    ]
    for row in rows[::15]:
        row["text"] += " " + " ".join(f"w{i % 40}" for i in range(310))
    (folder / "hostile.jsonl").write_text("\n".join(map(json.dumps, rows)))
    experiment = {
        "name": "hostile",
        "data": {"type": "jsonl", "path": str(folder / "hostile.jsonl"), "tokenizer": "whitespace"}
        | {"min_frequency": 2},
        "model": {"embedding_width": 8, "encoder": {"type": "lstm", "hidden": 4}},
        "trainer": {"epochs": 2},
        "importance": ["attention", "gradient", "leave_one_out"],
        "analyses": ["agreement", {"type": "permutation", "draws": 5}],
        "seeds": [0, 1],
    }
    finished = attex.run(experiment, output_dir=folder / "out", device="cpu")
    assert isinstance(finished, attex.Run)
    return finished


@pytest.fixture(scope="module")
def opened(browser: Any, run: attex.Run) -> Iterator[Callable[..., Any]]:
    pages = []

    def goto(address: str | None = None, hash_: str = "", **options: Any) -> Any:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
        page = context.new_page()
        page.troubles, page.asked = [], []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto((address or f"file://{run.report}") + hash_)
        watch(page)
        pages.append(page)
        return page

    yield goto
    for page in pages:
        assert page.troubles == []
        page.context.close()


@pytest.fixture(scope="module")
def page(opened: Callable[..., Any]) -> Any:
    return opened()


@pytest.fixture(scope="session")
def web() -> Path:
    """The folder of the page's modules."""
    return Path(attex.__file__).parent / "report" / "web"


@pytest.fixture(scope="session")
def served() -> Iterator[Any]:
    """Serve folders on loopback: call with a folder to get its address."""
    servers = []

    def serve(folder: Path) -> str:
        handler = functools.partial(QuietHandler, directory=str(folder))
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield serve
    for server in servers:
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        return
