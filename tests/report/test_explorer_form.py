"""The texts of a run, packed for the page: what is taken out is what was put in."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import attex
from attex.report.explorer import coded_scores, head_form, in_letters, one_seed, one_text


def bytes_of(letters: str) -> bytes:
    """Read letters digit by digit, in whole numbers."""
    alphabet = [c for c in map(chr, range(33, 127)) if c not in " \"'&<>\\`/~"]
    assert len(alphabet) == 85
    found = bytearray()
    for start in range(1, len(letters), 5):
        number = 0
        for letter in letters[start : start + 5]:
            number = 85 * number + alphabet.index(letter)
        found += number.to_bytes(4, "big")
    return bytes(found[: len(found) - int(letters[0])])


def unpacked(packed: dict[str, Any]) -> Any:
    data = gzip.decompress(bytes_of(packed["data"]))
    if packed["type"] == "json":
        return json.loads(data)
    kind = np.dtype(f"<{packed['type']}")
    planes = np.frombuffer(data, dtype=np.uint8).reshape(kind.itemsize, -1)
    return np.ascontiguousarray(planes.T).view(kind).reshape(packed["shape"])


@pytest.mark.parametrize("length", range(9))
def test_letters_hold_any_bytes(length: int) -> None:
    for data in (bytes(length), bytes([255]) * length, bytes(range(length))):
        letters = in_letters(data)
        assert bytes_of(letters) == data
        assert not set(letters) & set("\"'&<>\\`/")


def test_scores_at_8_bits_are_within_half_a_step_and_undefined_stays_so() -> None:
    scores = np.array([0.0, 3.0, np.nan, 1.234, -2.0, 5.0, np.nan, 0.0, 0.0])
    starts = np.array([0, 4, 6, 7, 9])
    codes, lows, highs = coded_scores(scores, starts)
    assert (lows.tolist(), highs.tolist()) == ([0, -2, 0, 0], [3, 5, 0, 0])
    text = np.repeat(np.arange(4), np.diff(starts))
    back = lows[text] + (highs - lows)[text] * codes / 254
    known = ~np.isnan(scores)
    assert (codes[~known] == 255).all()
    assert (np.abs(back - scores)[known] <= (highs - lows)[text][known] / 254 / 2 + 1e-12).all()


def test_one_text_is_plain_json() -> None:
    seed = one_seed([0.5], {"attention": [0.25, float("nan")]}, [0.25, 0.75], [[1.0], [2.0]])
    whole = one_text("a", ["x", "<b>"], [True, False], {3: seed}, text_id=-(2**63), label=None)
    again = json.loads(json.dumps(whole, allow_nan=False))
    assert again["seeds"]["3"]["scores"] == {"attention": [0.25, None]}
    assert (again["id"], again["tokens"], again["label"]) == (str(-(2**63)), ["x", "<b>"], None)
    assert head_form(None) is None
    assert head_form(("linear", {"bias": torch.tensor([0.5])})) == {
        "kind": "linear",
        "bias": [0.5],
        "allowed": None,
    }


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> attex.Run:
    experiment = {
        "data": {"type": "planted", "task": "negation", "sizes": [40, 12, 12]},
        "model": {"embedding_width": 8, "encoder": {"type": "lstm", "hidden": 4}},
        "trainer": {"epochs": 1},
        "importance": ["attention", "gradient"],
        "analyses": [],
        "seeds": [3, 5],
    }
    finished = attex.run(experiment, output_dir=tmp_path_factory.mktemp("form"), device="cpu")
    assert isinstance(finished, attex.Run)
    return finished


def files(run: attex.Run) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
    page = run.report.read_text(encoding="utf-8")
    start = page.index('id="explorer-data">') + len('id="explorer-data">')
    index = json.loads(page[start : page.index("</script>", start)])
    seeds = {}
    for seed in (3, 5):
        script = Path(run.path / "explorer" / f"seed-{seed}.js").read_text(encoding="utf-8")
        opening = f"attexExplorer.take({seed}, "
        assert script.startswith(opening)
        seeds[seed] = json.loads(script[len(opening) : -len(");\n")])
    return index, seeds


def test_a_run_folder_holds_every_text_of_every_seed(run: attex.Run) -> None:
    index, seeds = files(run)
    table = run.instances.filter(run.instances["seed"] == 3)
    texts = {name: unpacked(array) for name, array in index["texts"].items()}
    assert texts["names"] == table["name"].to_list()
    words = [texts["words"][number] for number in texts["tokens"]]
    assert words == [word for tokens in table["tokens"] for word in tokens]
    assert texts["truth"].astype(bool).tolist() == [x for marks in table["truth"] for x in marks]
    assert "scored" not in seeds[3]
    for seed, scored in ((3, index["first"]), (5, seeds[5]["scored"])):
        own = run.instances.filter(run.instances["seed"] == seed)
        codes = unpacked(scored["scores"])
        flat = [x for scores in own["gradient"] for x in scores]
        assert np.corrcoef(codes[1], flat)[0, 1] > 0.5
        attention = unpacked(seeds[seed]["attention"])
        flat = [x for scores in own["attention"] for x in scores]
        assert attention.tolist() == pytest.approx(flat, abs=1e-7)
        assert unpacked(seeds[seed]["values"]).shape == (len(flat), 1)


def test_influence_is_that_of_the_model(run: attex.Run) -> None:
    from attex.data.batch import Batch
    from attex.importance.influence import influence_on_states

    _, seeds = files(run)
    table = run.instances.filter(run.instances["seed"] == 5)
    texts, squares = unpacked(seeds[5]["influenced"]), unpacked(seeds[5]["influence"])
    assert texts.tolist() == list(range(12))
    index = {word: number for number, word in enumerate(run.vocabulary["words"])}
    words = table["tokens"][0].to_list()
    tokens = torch.tensor([[2, *(index[word] for word in words), 3]])
    mask = torch.ones_like(tokens, dtype=torch.bool)
    scorable = mask.clone()
    scorable[:, [0, -1]] = False
    batch = Batch(tokens, mask, scorable, torch.zeros(1), torch.zeros(1))
    ((_, shares),) = influence_on_states(run.model(5), batch)
    expected = shares[0, 1:-1, 1:-1].numpy()
    high = float(unpacked(seeds[5]["influence_highs"])[0])
    found = squares[: len(words) ** 2].reshape(len(words), -1) * high / 255
    assert found == pytest.approx(expected, abs=high / 255)


def softmax(logits: np.ndarray) -> np.ndarray:
    parts = np.exp(logits - logits.max())
    return parts / parts.sum()


def by_formula(head: dict[str, Any], c: np.ndarray) -> np.ndarray:
    """Compute a head as its form is written down."""
    weight, bias = np.array(head["weight"]), np.array(head["bias"])
    if head["kind"] == "tanh_linear":
        return weight @ np.tanh(c) + bias
    x, y = np.split(c, 2)
    return weight @ np.concatenate([x, y, np.abs(x - y), x * y]) + bias


@pytest.mark.parametrize(("decoder", "kind"), [("query", "tanh_linear"), ("pair", "pair_linear")])
def test_models_of_two_texts_can_be_computed_from_what_is_packed(
    tmp_path: Path, decoder: str, kind: str
) -> None:
    experiment = {
        "data": {"type": "planted", "task": "question", "sizes": [60, 20, 70]},
        "model": {
            "embedding_width": 6,
            "encoder": {"type": "lstm", "hidden": 8},
            "decoder": decoder,
            "query": {"shared": True},
        },
        "trainer": {"epochs": 1, "metric": "accuracy"},
        "importance": ["attention"],
        "analyses": [],
        "seeds": [3],
    }
    run = attex.run(experiment, output_dir=tmp_path, device="cpu")
    assert isinstance(run, attex.Run)
    page = run.report.read_text(encoding="utf-8")
    start = page.index('id="explorer-data">') + len('id="explorer-data">')
    texts = json.loads(page[start : page.index("</script>", start)])["texts"]
    script = (run.path / "explorer" / "seed-3.js").read_text(encoding="utf-8")
    hands = json.loads(script[len("attexExplorer.take(3, ") : -len(");\n")])
    assert hands["head"]["kind"] == kind
    words, asked = unpacked(texts["words"]), unpacked(texts["query_tokens"])
    assert [words[i] for i in asked] == [w for query in run.instances["query"] for w in query]
    lengths, attention = unpacked(texts["lengths"]).astype(int), unpacked(hands["attention"])
    values, valued = unpacked(hands["values"]), unpacked(hands["valued"]).tolist()
    assert len(set(valued)) == 50
    starts = np.concatenate([[0], lengths.cumsum()])
    place = np.concatenate([[0], lengths[valued].cumsum()])
    for number, text in enumerate(valued):
        own, other = (slice(*ends[i : i + 2]) for ends, i in ((starts, text), (place, number)))
        output = softmax(by_formula(hands["head"], attention[own] @ values[other]))
        assert output.tolist() == pytest.approx(run.instances["output"][text].to_list(), abs=1e-6)
