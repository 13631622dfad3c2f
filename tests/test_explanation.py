"""A new text: cut as the corpus was, read by the model, scored; and what is shown of it."""

import io
import json
import math
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import attex
from attex.data.corpus import SPECIALS
from attex.data.reader import Reader
from attex.explanation import Explanation
from attex.foundations.errors import UserError
from attex.serving import Question, TextServer
from attex.terminal import print_explanation

CONFIG = {
    "data": {"type": "planted", "task": "keyword", "sizes": [60, 20, 30]},
    "model": {"embedding_width": 8, "encoder": {"type": "lstm", "hidden": 4}},
    "trainer": {"epochs": 2},
    "seeds": [3, 4],
    "importance": ["attention", "leave_one_out", {"type": "gradient", "target": "gold_loss"}],
    "analyses": ["truth"],
}


@pytest.fixture(scope="module", params=[True, False], ids=["markers", "no markers"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> attex.Run:
    data = CONFIG["data"] | {"markers": request.param}
    return attex.run(CONFIG | {"data": data}, output_dir=tmp_path_factory.mktemp("out"), device="cpu")


def test_a_text_of_the_test_split_has_the_scores_that_the_run_gave_it(run: attex.Run) -> None:
    measures = [
        name for name in run.instances.columns if name.startswith(("attention", "leave", "grad"))
    ]
    assert len(measures) == 3
    for row in run.instances.iter_rows(named=True):
        found = run.explain(" ".join(row["tokens"]), seed=row["seed"])
        assert found.tokens == row["tokens"]
        assert found.prediction == row["predicted"]
        assert [*found.probabilities.values()] == pytest.approx(row["output"], abs=1e-6)
        assert [*found.scores] == measures
        for name in measures:
            # The label of a new text is the predicted one, and the gradient of this loss depends on it.
            if row["label"] == row["predicted"] or not name.startswith("gradient"):
                assert found.scores[name] == pytest.approx(row[name], abs=1e-6, nan_ok=True)


def test_words_that_the_model_does_not_know_are_all_one(run: attex.Run) -> None:
    first, second = (run.explain(f"the {word} was lovely") for word in ("zorb", "blick"))
    assert first.unknown_words == ["zorb"]
    assert first.known[:2] == [True, False]
    assert first.scores == second.scores
    # What stands for padding and markers is a word like any other where somebody writes it.
    special = run.explain(["the", SPECIALS[0], "was", "lovely"])
    assert special.unknown_words == [SPECIALS[0]]
    assert special.scores == first.scores


def test_other_measures_and_tokens_can_be_named(run: attex.Run) -> None:
    found = run.explain(["lovely"], measures=["gradient_norm", {"type": "attention"}], seed=4)
    assert [*found.scores] == ["gradient_norm", "attention"]
    assert found.scores["attention"] == [1.0]
    assert math.isnan(run.explain("lovely").scores["leave_one_out"][0])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": " \n"}, "no token that could be scored"),
        ({"text": []}, "no token that could be scored"),
        ({"text": "half \ud800"}, "no text that can be written down"),
        ({"text": "a", "seed": 0}, "no model of seed 0; it has 3, 4"),
        ({"text": "a", "measures": ["atention"]}, "did you mean 'attention'"),
    ],
)
def test_what_cannot_be_explained_is_said(
    run: attex.Run, given: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        run.explain(**given)  # type: ignore[arg-type]


def test_weights_that_are_gone_are_named_with_what_to_do(run: attex.Run, tmp_path: Path) -> None:
    copy = shutil.copytree(run.path, tmp_path / "copy")
    (copy / "model_seed_4.safetensors").unlink()
    assert attex.load_run(copy).explain("lovely").seed == 3
    with pytest.raises(UserError, match=r"has no model_seed_4.safetensors: .*attex run"):
        attex.load_run(copy).explain("lovely", seed=4)


def test_two_texts_have_the_scores_that_the_run_gave_them(tmp_path: Path) -> None:
    rows = [
        {"text": f"the {one} met a {other} {i}", "question": f"who met {other} ?", "label": one}
        for i in range(20)
        for one, other in (("cat", "dog"), ("dog", "cat"))
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    config = CONFIG | {
        "data": {"type": "jsonl", "path": str(tmp_path / "pairs.jsonl"), "query": "question"},
        "model": {"embedding_width": 4, "query": {}, "decoder": "query", "encoder": {"type": "lstm"}},
        "seeds": [0],
        "importance": ["attention", "leave_one_out"],
        "analyses": ["agreement"],
    }
    run = attex.run(config, output_dir=tmp_path / "out", device="cpu")
    for row in run.instances.iter_rows(named=True):
        found = run.explain(" ".join(row["tokens"]), query=" ".join(row["query"]))
        assert (found.tokens, found.query) == (row["tokens"], row["query"])
        assert [*found.probabilities.values()] == pytest.approx(row["output"], abs=1e-6)
        for name in ("attention", "leave_one_out"):
            assert found.scores[name] == pytest.approx(row[name], abs=1e-6, nan_ok=True)
    with pytest.raises(UserError, match="read two texts: give the query"):
        run.explain("the cat met a dog")
    # What the page would compute of it is what the model said.
    answer = TextServer(run).answer(Question("the cat met a dog", query="who met dog ?"))
    assert answer["query"] == ["who", "met", "dog", "?"]
    seed = answer["seeds"]["0"]
    assert seed["head"]["kind"] == "tanh_linear"
    context = np.array(seed["attention"]) @ np.array(seed["values"])
    logits = np.array(seed["head"]["weight"]) @ np.tanh(context) + seed["head"]["bias"]
    assert seed["logits"] == pytest.approx(logits, abs=1e-5)


def test_a_query_that_is_attended_to_has_scores_wherever_it_is_shown(tmp_path: Path) -> None:
    measures = ["attention", "leave_one_out"]
    config = CONFIG | {
        "data": {"type": "planted", "task": "question", "sizes": [40, 20, 12]},
        "model": {"embedding_width": 4, "query": {}, "decoder": "pair", "encoder": {"type": "lstm"}},
        "seeds": [0],
        "importance": measures,
        "analyses": ["agreement"],
    }
    run = attex.run(config, output_dir=tmp_path / "out", device="cpu")
    for row in run.instances.iter_rows(named=True):
        found = run.explain(" ".join(row["tokens"]), query=" ".join(row["query"]))
        assert found.query_scores is not None
        for name in measures:
            assert found.scores[name] == pytest.approx(row[name], abs=1e-6)
            assert found.query_scores[name] == pytest.approx(row[f"{name} (query)"], abs=1e-6)
    found = run.explain("it was lovely", ["attention"], query="was it zorb")
    assert found.query_scores is not None
    assert (found.query_known, found.unknown_words) == ([True, True, False], ["zorb"])
    assert found.to_json()["query_scores"] == found.query_scores
    asked = [f"{score:.3f}" for score in found.query_scores["attention"]]
    # A row of numbers for every token of both, in a terminal and in a notebook.
    lines = [line.split() for line in printed(found).splitlines()]
    rows = {line[0]: line for line in lines if line and line[0] in ("it", "was", "lovely", "zorb")}
    assert rows["zorb"][-1] == "unknown"
    assert [line[1] for line in lines if line[:1] in (["was"], ["it"], ["zorb"])][:3] == asked
    cells = [text for text in Seen(found._repr_html_()).text if text]
    numbers = [cell for cell in cells if re.fullmatch(r"\d\.\d{3}", cell)]
    assert numbers[-6:] == [*asked, *(f"{score:.3f}" for score in found.scores["attention"])]
    assert cells.count("attention, query") == cells.count("attention, text") == 1


def test_a_reader_that_cannot_cut_a_text_says_so() -> None:
    class Silent(Reader):
        files = documents = None  # type: ignore[assignment]

    Silent.__abstractmethods__ = frozenset()
    with pytest.raises(UserError, match=r"Silent, does not say how .* a list of tokens"):
        Silent().tokens("a text")


EXPLANATION = Explanation(
    run="<b>run</b>",
    seed=0,
    tokens=["<script>alert(1)</script>", "\x1b[31mred", "plain"],
    known=[False, False, True],
    scores={"attention": [0.5, 0.25, 0.0], "leave_one_out": [math.nan, 2.0, 1.0]},
    prediction="<i>yes</i>",
    probabilities={"<i>yes</i>": 0.75, "no": 0.25},
)


class Seen(HTMLParser):
    """Which elements there are, and what stands between them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.add(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data.strip())


def test_what_a_text_holds_stays_text_in_a_notebook() -> None:
    seen = Seen(EXPLANATION._repr_html_())
    assert not {"script", "i"} & seen.elements
    assert "<script>alert(1)</script>" in seen.text
    assert "<i>yes</i>" in seen.text
    # A cell for each token and measure: an undefined score is called so.
    assert [cell for cell in seen.text if re.fullmatch(r"undefined|\d\.\d{3}", cell)][-6:] == [
        "0.500",
        "undefined",
        "0.250",
        "2.000",
        "0.000",
        "1.000",
    ]


def printed(explanation: Explanation = EXPLANATION, **options: object) -> str:
    console = Console(file=io.StringIO(), highlight=False, width=200, **options)  # type: ignore[arg-type]
    print_explanation(explanation, console)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_a_terminal_shows_numbers_and_colours_only_where_they_are_wanted() -> None:
    plain = printed()
    assert "\x1b" not in plain
    lines = plain.splitlines()
    assert lines[0] == "<b>run</b>, seed 0: <i>yes</i> 0.750 (no 0.250)"
    assert lines[1].endswith("'<script>alert(1)</script>'  '\N{REPLACEMENT CHARACTER}[31mred'")
    assert lines[-1].split() == ["plain", "0.000", "1.000"]
    assert lines[-3].split()[1:] == ["0.500", "undefined", "unknown"]
    coloured = printed(force_terminal=True, color_system="truecolor")
    # The highest score has the deepest colour, and a score of nothing none.
    assert "48;2;59;76;192m <script>alert(1)</script> " in coloured
    assert "\x1b[0m plain \n" in coloured
    assert "\x1b[31m" not in coloured


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert printed(force_terminal=True) == printed()
