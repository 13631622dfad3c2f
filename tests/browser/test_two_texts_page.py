"""The page of models that read two texts: both are shown, and hands on the attention are right."""

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from explorer_page import choose, control, instances, names, settle
from scipy.stats import kendalltau

import attex
from attex.explanation import Explainer
from attex.foundations.divergences import distribution, total_variation
from attex.serving import Question, TextServer

MEASURES = ["attention", "gradient"]


def made(decoder: str, folder: pytest.TempPathFactory) -> attex.Run:
    experiment = {
        "name": "asked",
        "data": {"type": "planted", "task": "question", "sizes": [60, 20, 24]},
        "model": {
            "embedding_width": 6,
            "encoder": {"type": "lstm", "hidden": 4},
            "query": {},
            "decoder": decoder,
        },
        "trainer": {"epochs": 2, "learning_rate": 0.05},
        "importance": MEASURES,
        "analyses": ["agreement"],
        "seeds": [0, 1],
    }
    finished = attex.run(experiment, output_dir=folder.mktemp("asked"), device="cpu")
    assert isinstance(finished, attex.Run)
    return finished


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, attex.Run]:
    return {decoder: made(decoder, tmp_path_factory) for decoder in ("query", "pair")}


@pytest.fixture(scope="module")
def pair(runs: dict[str, attex.Run], opened: Callable[..., Any]) -> Any:
    """The page of models that attend to both texts."""
    page = opened(f"file://{runs['pair'].report}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return page


@pytest.mark.parametrize("decoder", ["query", "pair"])
@torch.no_grad()
def test_the_page_computes_what_the_model_does(
    opened: Callable[..., Any], runs: dict[str, attex.Run], decoder: str
) -> None:
    asked = runs[decoder]
    page = opened(f"file://{asked.report}")
    choose(page, 3)
    text = page.evaluate("attexExplorer.explorer.pane.text")
    # A query without scores is a line above the text.
    told = f"Asked: {' '.join(text['query'])}" in page.inner_text("#explorer")
    assert told == (decoder == "query")
    assert ("the query keeps its own" in page.inner_text("#explorer-hands")) == (decoder == "pair")

    explainer = Explainer(asked)
    batch = explainer.batch(explainer.document(text["tokens"], text["query"]))
    model = explainer.model.double()
    hidden = model.encode(model.embed(batch), batch)
    own = model.attend(hidden, batch)
    uniform = batch.scorable / batch.scorable.sum(dim=1, keepdim=True)
    before = model.decode(hidden, own, batch)
    class_ = int(before.argmax())
    for choice, weights in {"own": own, "uniform": uniform.double()}.items():
        page.locator(f'#explorer-hands input[value="{choice}"]').check()
        said = page.evaluate("attexExplorer.explorer.pane.hands.outcome")
        now = model.decode(hidden, weights, batch)
        assert said["probability"] == pytest.approx(distribution(now)[0, class_].item(), abs=1e-6)
        assert said["tvd"] == pytest.approx(total_variation(now, before).item(), abs=1e-6)


def cells(page: Any, place: str) -> list[list[str]]:
    """What the rows of a text's tables say, its lines put together."""
    lines = control(page, place).locator("table.line")
    rows = [
        lines.nth(i)
        .locator("tbody tr")
        .evaluate_all("rs => rs.map(r => [...r.cells].map(c => c.innerText))")
        for i in range(lines.count())
    ]
    return [[row[0][0], *(cell for line in row for cell in line[1:])] for row in zip(*rows, strict=True)]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_query_that_is_attended_to_has_the_scores_of_the_run(
    pair: Any, runs: dict[str, attex.Run], seed: int
) -> None:
    control(pair, "seed").select_option(str(seed))
    settle(pair)
    for number in (3, 11):
        choose(pair, number)
        row = instances(runs["pair"], seed).row(number, named=True)
        shown = pair.evaluate("attexExplorer.explorer.pane.text")
        assert shown["query"] == row["query"]
        for measure in MEASURES:
            wanted = np.array(row[f"{measure} (query)"])
            found = np.array(shown["seeds"][str(seed)]["query_scores"][measure])
            # Scores are written at 8 bits.
            assert np.abs(found - wanted).max() <= np.abs(wanted).max() / 254 / 2 + 1e-7
            (said,) = (line[1:] for line in cells(pair, "asked-text") if line[0] == measure)
            share = 100 * np.abs(wanted) / np.abs(wanted).sum()
            assert np.abs(np.array(said, dtype=float) - share).max() <= 1
    # The weights that are tried are those of the text.
    assert "weights tried" in control(pair, "text").inner_text()
    assert "weights tried" not in control(pair, "asked-text").inner_text()
    control(pair, "seed").select_option("0")
    settle(pair)


def test_a_word_of_the_query_can_be_chosen_and_spread_and_pinned(pair: Any) -> None:
    choose(pair, 3)
    word = control(pair, "asked-text").locator("button.word").nth(1)
    word.click()
    assert control(pair, "token").inner_text().startswith(f"{word.inner_text()}: attention: ")
    assert "of the query" in control(pair, "token").inner_text()
    assert control(pair, "text").locator("button.word[aria-pressed=true]").count() == 0
    control(pair, "text").locator("button.word").first.click()
    assert control(pair, "asked-text").locator("button.word[aria-pressed=true]").count() == 0
    control(pair, "spread").select_option("attention")
    settle(pair)
    assert cells(pair, "asked-text")[-1][0] == "attention, 2 seeds"
    control(pair, "pin").click()
    settle(pair)
    assert cells(pair, "pinned-asked-text") == cells(pair, "asked-text")
    control(pair, "unpin").click()
    control(pair, "spread").select_option("")
    settle(pair)


def test_a_copied_picture_has_both_texts(pair: Any) -> None:
    choose(pair, 3)
    control(pair, "copy").click()
    pair.wait_for_function("document.querySelector('#explorer [data-x=copied]').innerText !== ''")
    svg = ElementTree.fromstring(pair.evaluate("navigator.clipboard.readText()"))
    words = [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    shown = pair.evaluate("attexExplorer.explorer.pane.text")
    assert {"query", "text", *shown["query"], *shown["tokens"]} <= {*words}


def test_texts_are_found_by_words_of_their_queries(pair: Any, runs: dict[str, attex.Run]) -> None:
    rows = [*instances(runs["pair"]).iter_rows(named=True)]
    alone = {word for row in rows for word in row["query"]} - {w for row in rows for w in row["tokens"]}
    word = sorted(alone)[0]
    control(pair, "search").fill(word)
    settle(pair)
    wanted = [row["name"] for row in rows if any(word in w for w in row["tokens"] + row["query"])]
    assert names(pair) == wanted
    control(pair, "search").fill("")
    settle(pair)


def test_disagreement_is_over_both_texts(pair: Any, runs: dict[str, attex.Run]) -> None:
    found = pair.evaluate("attexExplorer.explorer.texts.scored(0).then((s) => [...s.disagreement])")
    for row, tau in zip(instances(runs["pair"]).iter_rows(named=True), found, strict=True):
        both = [row[measure] + row[f"{measure} (query)"] for measure in MEASURES]
        assert tau == pytest.approx(kendalltau(*both).statistic, abs=1e-6)


def test_a_text_that_is_typed_in_has_scores_of_both(pair: Any, runs: dict[str, attex.Run]) -> None:
    row = instances(runs["pair"]).row(5, named=True)
    answer = TextServer(runs["pair"]).answer(Question(row["tokens"], query=[*row["query"], "zorb"]))
    assert answer["query_known"] == [True] * len(row["query"]) + [False]
    pair.evaluate("(text) => attexExplorer.showText(text)", answer)
    wanted = answer["seeds"]["0"]["query_scores"]["attention"]
    assert sum(wanted) == pytest.approx(1, abs=1e-6)
    assert [float(x) for x in cells(pair, "asked-text")[0][1:]] == pytest.approx(
        [100 * x for x in wanted], abs=0.51
    )
    assert control(pair, "asked-text").locator("button.unknown").inner_text() == "zorb"
