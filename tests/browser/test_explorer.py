"""The explorer in a real browser: every control works, and texts stay text."""

import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from explorer_page import adversary, choose, control, hand, instances, names, outcome, settle

import attex

HOSTILE = '<img/src=x/onerror="window.hacked=1">'


def test_the_list_has_every_analysed_text(page: Any, run: attex.Run) -> None:
    control(page, "clear").click()
    settle(page)
    assert names(page) == instances(run)["name"].to_list()
    assert control(page, "count").inner_text() == f"{len(instances(run))} texts"


def test_filters_keep_what_they_say(page: Any, run: attex.Run) -> None:
    table = instances(run)
    wanted = {
        ("label", "neg&"): table["label"] == "neg&",
        ("predicted", f"pos{HOSTILE}"): table["predicted"] == f"pos{HOSTILE}",
        ("right", "wrong"): table["label"] != table["predicted"],
    }
    for (name, option), kept in wanted.items():
        control(page, "clear").click()
        control(page, name).select_option(label=option)
        settle(page)
        assert names(page) == table.filter(kept)["name"].to_list(), name
    control(page, "clear").click()
    control(page, "least").fill("9")
    control(page, "most").fill("10")
    control(page, "most").press("Tab")
    settle(page)
    lengths = table["tokens"].list.len()
    assert names(page) == table.filter((lengths >= 9) & (lengths <= 10))["name"].to_list()
    control(page, "clear").click()
    control(page, "search").fill("GOOD rare1")
    settle(page)
    found = [
        name
        for name, words in zip(table["name"], table["tokens"], strict=True)
        if any("good" in w for w in words) and any("rare1" in w for w in words)
    ]
    assert names(page) == found
    control(page, "clear").click()


def test_sorts_order_by_what_they_say(page: Any, run: attex.Run) -> None:
    from scipy.stats import kendalltau

    table = instances(run)
    output = np.array(table["output"].to_list())
    control(page, "clear").click()
    control(page, "sort").select_option("confidence")
    settle(page)
    confidence = dict(zip(table["name"], output.max(axis=1), strict=True))
    rising = [confidence[name] for name in names(page)]
    assert rising == pytest.approx(sorted(confidence.values()), abs=1e-9)
    control(page, "down").click()
    settle(page)
    assert confidence[names(page)[0]] == pytest.approx(max(rising), abs=1e-9)
    control(page, "sort").select_option("disagreement")
    control(page, "first").select_option("gradient")
    control(page, "second").select_option("attention")
    settle(page)
    taus = [
        kendalltau(a, b).statistic for a, b in zip(table["attention"], table["gradient"], strict=True)
    ]
    listed = names(page)
    place = {name: i for i, name in enumerate(table["name"])}
    values = [taus[place[name]] for name in listed]
    defined = [value for value in values if value == value]
    assert defined == sorted(defined)
    assert all(value != value for value in values[len(defined) :])
    control(page, "sort").select_option("length")
    settle(page)
    assert names(page)[0] == table["name"][int(table["tokens"].list.len().arg_max() or 0)]
    control(page, "clear").click()


def test_sorting_by_entropy_and_by_the_adversary_is_sorting_by_pythons(
    page: Any, run: attex.Run
) -> None:
    table = instances(run)
    place = {name: i for i, name in enumerate(table["name"])}

    def entropy(weights: list[float]) -> float:
        p = np.array(weights)
        return float(-(p * np.log(p)).sum() / np.log(len(p)))

    for sort, values in {
        "entropy": [entropy(weights) for weights in table["attention"]],
        "reach": [adversary(run, i, 0.05)[0] for i in range(len(table))],
    }.items():
        control(page, "sort").select_option(sort)
        settle(page)
        listed = [values[place[name]] for name in names(page)]
        assert all(a >= b - 1e-4 for a, b in pairwise(listed)), sort
    control(page, "clear").click()


def test_a_chosen_word_tells_its_numbers_and_what_its_state_stands_for(
    page: Any, run: attex.Run
) -> None:
    choose(page, 5)
    row = instances(run).row(5, named=True)
    page.locator('#explorer [data-x="text"] button.word').nth(1).click()
    told = control(page, "token").inner_text()
    assert told.startswith(row["tokens"][1])
    share = row["gradient"][1] / sum(row["gradient"])
    assert f"{100 * share:.1f}" in told or f"{100 * share + 0.05:.0f}" in told
    assert "its hidden state stands for" in told
    shares = page.evaluate("attexExplorer.explorer.pane.text.seeds[0].influence[1]")
    assert sum(shares) == pytest.approx(1, abs=0.05)


def test_unknown_words_are_marked_and_long_texts_are_folded(page: Any, run: attex.Run) -> None:
    table = instances(run)
    known = set(run.vocabulary["words"])
    choose(page, 5)
    unknown = page.locator('#explorer [data-x="text"] button.unknown').all_inner_texts()
    assert unknown == [word for word in table["tokens"][5] if word not in known]
    long = int(table["tokens"].list.len().arg_max() or 0)
    length = len(table["tokens"][long])
    assert length > 310
    choose(page, long)
    folds = page.locator('#explorer [data-x="text"] details')
    assert folds.count() == 3
    last = folds.nth(2)
    if last.get_attribute("open") is None:
        last.locator("summary").click()
        # A fold is filled when the browser tells of it, which may be after the click.
        last.locator("button.word").first.wait_for()
    assert last.locator("button.word").count() == length - 240


def test_seeds_are_switched_and_their_spread_is_shown(page: Any, run: attex.Run) -> None:
    choose(page, 3)
    control(page, "spread").select_option("attention")
    page.wait_for_selector("#explorer tr.spread")
    cells = page.locator('#explorer [data-x="text"] tr.spread td').all_inner_texts()
    both = [instances(run, seed)["attention"][3].to_list() for seed in (0, 1)]
    shares = [[x / sum(row) for x in row] for row in both]
    for cell, a, b in zip(cells, *shares, strict=True):
        low, high = (int(end) for end in cell.split("–"))
        assert abs(low - 100 * min(a, b)) < 1.2
        assert abs(high - 100 * max(a, b)) < 1.2
    control(page, "seed").select_option("1")
    settle(page)
    output = instances(run, 1)["output"][3]
    assert f"{100 * max(output):.1f} %" in control(page, "about").inner_text()
    control(page, "seed").select_option("0")
    control(page, "spread").select_option("")
    settle(page)


def test_a_text_is_pinned_beside_another(page: Any) -> None:
    choose(page, 2)
    control(page, "pin").click()
    choose(page, 4)
    settle(page)
    all_names = page.evaluate("attexExplorer.explorer.texts.names")
    assert all_names[2] in control(page, "pinned-about").inner_text()
    assert all_names[4] in control(page, "about").inner_text()
    control(page, "unpin").click()
    settle(page)
    assert not control(page, "pinned").is_visible()


def test_scales_change_what_cells_say(page: Any, run: attex.Run) -> None:
    choose(page, 3)
    row = instances(run)["gradient"][3].to_list()
    cells = page.locator('#explorer [data-x="text"] tr.measure:nth-child(2) td')
    for scale, value in {
        "share": 100 * row[0] / sum(row),
        "highest": 100 * row[0] / max(row),
        "raw": row[0],
    }.items():
        control(page, "scale").select_option(scale)
        settle(page)
        shown = float(cells.first.inner_text().replace("−", "-"))
        assert shown == pytest.approx(value, abs=max(1.0, 0.05 * value) if scale != "raw" else 0.02)
    control(page, "scale").select_option("share")


def test_the_address_holds_the_state(page: Any, opened: Callable[..., Any], run: attex.Run) -> None:
    control(page, "clear").click()
    control(page, "sort").select_option("entropy")
    choose(page, 6)
    hand(page, "exact")
    settle(page)
    settle(page)
    address = page.evaluate("location.hash")
    assert address.startswith("#explorer?")
    other = opened(hash_=address)
    other.wait_for_function("attexExplorer.explorer.pane.hands.weights !== null")
    assert names(other) == names(page)
    assert control(other, "about").inner_text() == control(page, "about").inner_text()
    assert outcome(other) == outcome(page)
    nonsense = opened(hash_="#explorer?text=99999&sort=<b>&epsilon=x&seed=7&hand=foot&typed=1:2,x")
    assert len(names(nonsense)) == len(instances(run))
    control(page, "clear").click()
    hand(page, "own")


def test_keys_go_through_the_list_and_the_texts(page: Any) -> None:
    control(page, "clear").click()
    choose(page, 0)
    control(page, "list").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    settle(page)
    assert page.evaluate("attexExplorer.explorer.state.text") == 2
    page.keyboard.press("End")
    settle(page)
    assert page.evaluate("attexExplorer.explorer.state.text") == len(names(page)) - 1
    control(page, "before").focus()
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert page.evaluate("attexExplorer.explorer.state.text") == len(names(page)) - 2


def test_tab_reaches_every_control(opened: Callable[..., Any]) -> None:
    page = opened()
    page.wait_for_function("attexExplorer.explorer.pane.hands.weights !== null")
    wanted = page.evaluate(
        """[...document.querySelectorAll('#explorer :is(input, select, button, [tabindex])')]
        .filter((e) => e.tabIndex >= 0 && e.offsetParent && !e.disabled)
        .filter((e) => e.type !== 'radio' || e.checked).length"""
    )
    page.locator(".contents a").first.focus()
    page.evaluate("window.reached = new Set()")
    for _ in range(200):
        page.keyboard.press("Tab")
        page.evaluate(
            "document.activeElement.closest('#explorer') && reached.add(document.activeElement)"
        )
    assert page.evaluate("reached.size") == wanted


def test_a_text_is_copied_as_svg(page: Any, run: attex.Run) -> None:
    from xml.etree import ElementTree

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose(page, 4)
    control(page, "copy").click()
    page.wait_for_function("document.querySelector('[data-x=copied]').textContent !== ''")
    assert control(page, "copied").inner_text() == "Copied."
    svg = ElementTree.fromstring(page.evaluate("navigator.clipboard.readText()"))
    words = {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert set(instances(run)["tokens"][4]) <= words
    assert {part.tag.rpartition("}")[2] for part in svg.iter()} == {"svg", "text", "rect"}


def test_hostile_words_labels_and_names_stay_text(page: Any) -> None:
    choose(page, 2)
    assert page.evaluate("window.hacked") is None
    assert page.locator("#explorer img, #explorer [onerror]").count() == 0
    assert HOSTILE in control(page, "about").inner_text()
    assert HOSTILE in control(page, "list").inner_text()
    assert page.locator("main script").count() == 0


@pytest.mark.parametrize("way", ["file", "served"])
def test_nothing_is_asked_for_but_what_lies_beside_the_page(
    opened: Callable[..., Any], served: Callable[[Path], str], run: attex.Run, way: str
) -> None:
    root = f"file://{run.path}" if way == "file" else served(run.path)
    page = opened(f"{root}/report.html")
    page.wait_for_function("attexExplorer.explorer.pane.hands.weights !== null")
    control(page, "spread").select_option("attention")
    page.wait_for_selector("#explorer tr.spread")
    files = {url.removeprefix(root + "/") for url in page.asked}
    assert files <= {"report.html", "explorer/seed-0.js", "explorer/seed-1.js"}


def test_a_page_that_was_sent_alone_says_what_is_missing_and_works(
    opened: Callable[..., Any], run: attex.Run, tmp_path: Path
) -> None:
    shutil.copyfile(run.report, tmp_path / "report.html")
    page = opened(f"file://{tmp_path}/report.html")
    page.wait_for_function("attexExplorer.explorer.texts.missing.size > 0")
    settle(page)
    assert "not there" in page.locator("#explorer-hands .missing").inner_text()
    assert not page.locator("#explorer-hands fieldset").is_visible()
    assert page.locator('#explorer [data-x="text"] tr.measure').count() >= 3
    control(page, "seed").select_option("1")
    settle(page)
    assert "explorer/seed-1.js" in control(page, "missing").inner_text()
    assert len(names(page)) == len(instances(run))
