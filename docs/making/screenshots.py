"""Pictures of pages, taken by this machine's Chromium; each is small enough for a README."""

import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attex

_SIZE = {"width": 1280, "height": 720}
_TEXT = "The menu was scarcely brilliant, and the room was ordinary"
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


def of_a_site(front: Path, figures: Path) -> None:
    """Take the first screen of a site."""
    with browser() as started:
        page = started.new_page(viewport={"width": 1280, "height": 600})
        page.goto(f"file://{front.absolute()}")
        page.wait_for_selector("table")
        page.screenshot(path=figures / "site_demo.png")


def of_a_terminal(run: attex.Run, figures: Path) -> None:
    """Draw what `attex explain` prints in a terminal of many colours."""
    from rich.console import Console

    from attex.terminal import print_explanation

    console = Console(
        record=True, width=100, force_terminal=True, color_system="truecolor", file=io.StringIO()
    )
    console.print(f'$ attex explain demo "{_TEXT}"', highlight=False)
    print_explanation(run.explain(_TEXT), console)
    drawn = console.export_svg(title="attex explain", unique_id="attex")
    with browser() as started:
        page = started.new_page(viewport={"width": 1000, "height": 500}, device_scale_factor=1)
        page.set_content(drawn)
        page.locator("svg").screenshot(path=figures / "terminal_demo.png")
