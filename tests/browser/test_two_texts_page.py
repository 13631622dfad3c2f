"""The page of models that read two texts: the query is shown, and hands on the attention are right."""

from typing import Any

import pytest
import torch

import attex
from attex.explanation import Explainer
from attex.foundations.divergences import distribution, total_variation


@pytest.fixture(scope="module", params=["query", "pair"])
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> attex.Run:
    experiment = {
        "name": "asked",
        "data": {"type": "planted", "task": "question", "sizes": [60, 20, 24]},
        "model": {
            "embedding_width": 6,
            "encoder": {"type": "lstm", "hidden": 4},
            "query": {},
            "decoder": request.param,
        },
        "trainer": {"epochs": 2, "learning_rate": 0.05},
        "importance": ["attention", "gradient"],
        "analyses": ["agreement"],
    }
    finished = attex.run(experiment, output_dir=tmp_path_factory.mktemp("asked"), device="cpu")
    assert isinstance(finished, attex.Run)
    return finished


@torch.no_grad()
def test_the_page_computes_what_the_model_does(browser: Any, asked: attex.Run) -> None:
    page = browser.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(f"file://{asked.report}")
    page.wait_for_selector("#explorer[data-ready]")
    page.evaluate("attexExplorer.explorer._choose(3)")
    page.wait_for_function("attexExplorer.explorer.pane.hands.weights !== null")
    text = page.evaluate("attexExplorer.explorer.pane.text")
    assert f"Asked: {' '.join(text['query'])}" in page.inner_text("#explorer")

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
    assert troubles == []
    page.close()
