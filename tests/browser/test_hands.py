"""Hands on the attention, in a real browser: what the page says is what Python says."""

from typing import Any

import pytest
import torch
from explorer_page import adversary, choose, hand, outcome, readout

import attex
from attex.counterfactual.permutation import permute
from attex.foundations.divergences import distribution, jensen_shannon, total_variation


@torch.no_grad()
def test_hands_on_the_attention_give_what_python_gives(page: Any, run: attex.Run) -> None:
    for text in (0, 5):
        choose(page, text)
        read, own, mask = readout(run, text)
        length = own.shape[1]
        before = distribution(read.decode(own))[0]
        class_ = int(before.argmax())

        def check(weights: torch.Tensor) -> None:
            now = read.decode(weights)  # noqa: B023
            said = outcome(page)
            assert said["probability"] == pytest.approx(distribution(now)[0, class_].item(), abs=1e-6)  # noqa: B023
            assert said["own"] == pytest.approx(before[class_].item(), abs=1e-6)  # noqa: B023
            assert said["tvd"] == pytest.approx(total_variation(now, read.decode(own)).item(), abs=1e-6)  # noqa: B023
            assert said["jsd"] == pytest.approx(jensen_shannon(weights, own).item(), abs=1e-6)  # noqa: B023

        hand(page, "own")
        check(own)
        alone = distribution(read.head(read.values[0]))[:, class_]
        assert outcome(page)["low"] == pytest.approx(alone.min().item(), abs=1e-6)
        assert outcome(page)["high"] == pytest.approx(alone.max().item(), abs=1e-6)
        hand(page, "uniform")
        check(torch.full((1, length), 1 / length, dtype=torch.float64))
        hand(page, "permuted")
        shuffled = torch.tensor(
            [page.evaluate("Array.from(attexExplorer.explorer.pane.hands.weights)")]
        ).double()
        assert sorted(shuffled[0].tolist()) == pytest.approx(sorted(own[0].tolist()), abs=1e-7)
        check(shuffled)
        number = page.evaluate("attexExplorer.explorer.pane.text.id")
        draws = permute(read, own, mask, draws=3, ids=torch.tensor([int(number)]))
        assert outcome(page)["tvd"] == pytest.approx(
            draws[0, page.evaluate("attexExplorer.explorer.state.draw")].item(), abs=1e-6
        )
        page.locator("#explorer-hands button").click()
        assert outcome(page)["tvd"] == pytest.approx(
            draws[0, page.evaluate("attexExplorer.explorer.state.draw")].item(), abs=1e-6
        )
        page.evaluate("attexExplorer.explorer.state.draw = 0")
        hand(page, "exact")
        page.locator("#explorer-hands input[type=range]").fill("0.1")
        best, other = adversary(run, text, 0.1)
        assert outcome(page)["jsd"] == pytest.approx(best, abs=1e-6)
        assert outcome(page)["tvd"] == pytest.approx(
            total_variation(read.decode(other), read.decode(own)).item(), abs=1e-6
        )
        hand(page, "searched")
        page.wait_for_function(
            "document.querySelector('#explorer-hands .says')?.isConnected", timeout=20000
        )
        page.wait_for_function(
            "!document.querySelector('#explorer-hands .result').textContent.startsWith('Searching')"
        )
        assert outcome(page)["tvd"] <= 0.1
        assert outcome(page)["jsd"] <= best + 1e-6
        hand(page, "own")


@torch.no_grad()
def test_a_weight_is_typed_or_moved_by_keys_or_dragged(page: Any, run: attex.Run) -> None:
    choose(page, 5)
    read, own, _ = readout(run, 5)
    words = page.locator('#explorer [data-x="text"] button.word')
    words.nth(1).click()
    page.locator("#explorer-hands input[type=number]").fill("0.4")
    page.locator("#explorer-hands input[type=number]").press("Enter")
    rest = own[0].clone()
    rest[1] = 0
    weights = 0.6 * rest / rest.sum()
    weights[1] = 0.4
    class_ = int(distribution(read.decode(own))[0].argmax())
    expected = distribution(read.decode(weights[None]))[0, class_].item()
    assert outcome(page)["probability"] == pytest.approx(expected, abs=1e-6)
    assert page.locator('#explorer-hands input[value="hand"]').is_checked()
    words.nth(1).focus()
    page.keyboard.press("ArrowUp")
    assert page.evaluate("attexExplorer.explorer.pane.hands.weights[1]") == pytest.approx(0.41, abs=1e-6)
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") == words.nth(2).inner_text()
    bar = page.locator('#explorer [data-x="text"] .bar').nth(2)
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    before = page.evaluate("attexExplorer.explorer.pane.hands.weights[2]")
    page.mouse.move(box["x"] + 8, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 8, box["y"] - 18)
    page.mouse.up()
    assert page.evaluate("attexExplorer.explorer.pane.hands.weights[2]") == pytest.approx(
        before + 0.3, abs=0.02
    )
    assert page.evaluate(
        "attexExplorer.explorer.pane.hands.weights.reduce((a, b) => a + b)"
    ) == pytest.approx(1)
