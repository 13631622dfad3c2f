"""Pictures of pages, taken by this machine's Chromium; each is small enough for a README."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SIZE = {"width": 1280, "height": 720}
_EXPLORER = "#explorer?sort=disagreement&down=true&hand=exact&epsilon=0.05"


@contextmanager
def browser() -> Iterator[Any]:
    """Start a browser; it ends with the block."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("screenshots need Debian's chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


def of_a_run(report: Path, figures: Path) -> None:
    """Take the first screen of a run's page, and its explorer with an adversary's weights."""
    with browser() as started:
        page = started.new_page(viewport=_SIZE)
        page.goto(f"file://{report.absolute()}")
        page.wait_for_selector("#explorer[data-ready]")
        page.wait_for_selector("#in-short svg")
        page.screenshot(path=figures / "page_demo.png")
        page.close()
        page = started.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"file://{report.absolute()}{_EXPLORER}")
        page.wait_for_selector("#explorer[data-ready]")
        page.locator('#explorer [data-x="text"] button.word').first.wait_for()
        page.locator("#explorer .panes").screenshot(path=figures / "explorer_demo.png")
