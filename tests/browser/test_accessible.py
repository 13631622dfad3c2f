"""Axe finds nothing to object to in a run's page, in either theme, and at a phone's width."""

from pathlib import Path
from typing import Any

import pytest

import attex


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_violation(browser: Any, run: attex.Run, theme: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    page = context.new_page()
    page.goto(f"file://{run.report}")
    page.wait_for_selector("#explorer[data-ready]")
    page.wait_for_function("attexExplorer.explorer.pane.hands.weights !== null")
    page.evaluate(
        "document.querySelectorAll('details:not(.vega-embed *)').forEach((fold) => (fold.open = true))"
    )
    page.evaluate("document.querySelectorAll('[data-chart]').forEach((place) => place.scrollIntoView())")
    page.wait_for_timeout(500)
    found = axe.run(page).response["violations"]
    told = [
        (one["id"], node["html"][:200], node["failureSummary"][:200])
        for one in found
        for node in one["nodes"]
    ]
    assert told == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_a_page_prints_without_its_controls(browser: Any, run: attex.Run, tmp_path: Path) -> None:
    page = browser.new_page()
    page.goto(f"file://{run.report}")
    page.wait_for_selector("#explorer[data-ready]")
    page.emulate_media(media="print")
    assert not page.locator("#explorer .controls").first.is_visible()
    assert page.locator('#explorer [data-x="text"] tr.measure').first.is_visible()
    page.pdf(path=str(tmp_path / "page.pdf"))
    assert (tmp_path / "page.pdf").stat().st_size > 10_000
    page.close()
