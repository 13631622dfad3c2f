"""What the page computes of an attention is what Python computes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from attex.counterfactual import adversarial_exact, adversarial_search
from attex.foundations.divergences import distribution, jensen_shannon, total_variation
from attex.foundations.draws import normals, permutations
from attex.models.decoder import Readout
from attex.report.explorer import packed, packed_json

LENGTHS = (1, 2, 17, 200)
KINDS = ("linear", "tanh_linear", "pair_linear")
Call = Callable[..., Any]


@pytest.fixture(scope="module")
def call(browser: Any, served: Callable[[Any], str], web: Path) -> Call:
    page = browser.new_page()
    page.goto(served(web) + "/packed.js")

    def in_page(module: str, code: str, **given: Any) -> Any:
        script = f"async (given) => {{ const m = await import('/{module}.js'); {code} }}"
        return page.evaluate(script, given)

    return in_page


def example(length: int, outputs: int, kind: str = "linear", seed: int = 0) -> dict[str, Any]:
    draw = torch.Generator().manual_seed(seed + length)
    width = {"linear": outputs, "tanh_linear": 5, "pair_linear": 6}[kind]
    values = 2 * torch.randn(length, width, generator=draw)
    if kind == "pair_linear":
        values[:, 3:] = values[0, 3:].clone()
    head: dict[str, Any] = {"kind": kind, "allowed": None}
    head["bias"] = torch.randn(outputs, generator=draw).tolist()
    if kind != "linear":
        inputs = width if kind == "tanh_linear" else 2 * width
        head["weight"] = torch.randn(outputs, inputs, generator=draw).tolist()
    attention = torch.softmax(2 * torch.randn(length, generator=draw), dim=0)
    return {"values": values.tolist(), "head": head, "attention": attention.tolist()}


def readout(model: dict[str, Any]) -> Readout:
    """The same in torch, from the formulas as they are written down."""
    head = model["head"]
    bias = torch.tensor(head["bias"], dtype=torch.float64)

    def logits(c: Tensor) -> Tensor:
        if head["kind"] == "linear":
            return c + bias
        weight = torch.tensor(head["weight"], dtype=torch.float64)
        if head["kind"] == "tanh_linear":
            return torch.tanh(c) @ weight.T + bias
        x, y = c.chunk(2, dim=-1)
        return torch.cat([x, y, (x - y).abs(), x * y], dim=-1) @ weight.T + bias

    values = torch.tensor(model["values"], dtype=torch.float64)[None]
    return Readout(values, lambda c: logits(c.double()), head["kind"] == "linear")


def row(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)[None]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("outputs", [1, 2, 4])
def test_outputs_and_distances_are_those_of_python(call: Call, kind: str, outputs: int) -> None:
    for length in LENGTHS:
        model = example(length, outputs, kind)
        other = example(length, outputs, kind, seed=9)["attention"]
        code = """
            const own = m.decode(given.model, given.model.attention);
            const logits = m.decode(given.model, given.other);
            return [logits, m.distribution(logits), m.totalVariation(logits, own),
                    m.jensenShannon(given.other, given.model.attention)];"""
        logits, output, tvd, jsd = call("whatif", code, model=model, other=other)
        own, now = (readout(model).decode(row(a)) for a in (model["attention"], other))
        assert logits == pytest.approx(now[0].tolist(), abs=1e-9)
        assert output == pytest.approx(distribution(now)[0].tolist(), abs=1e-9)
        assert tvd == pytest.approx(total_variation(now, own).item(), abs=1e-9)
        divergence = jensen_shannon(row(other), row(model["attention"])).item()
        assert jsd == pytest.approx(divergence, abs=1e-9)


@pytest.mark.parametrize("outputs", [1, 2])
def test_the_exact_adversary_is_that_of_python(call: Call, outputs: int) -> None:
    for length in LENGTHS:
        model = example(length, outputs)
        for epsilon in (0.0, 0.01, 0.2, 1.0):
            code = """
                const {s, bias} = m.tokenLogits(given.model);
                const found = m.exactAdversary(s, given.model.attention, bias, given.epsilon);
                return [Array.from(found), m.jensenShannon(found, given.model.attention)];"""
            weights, jsd = call("whatif", code, model=model, epsilon=epsilon)
            values, bias = torch.tensor(model["values"]).double(), model["head"]["bias"]
            s = values[:, 0] if outputs == 1 else values[:, 1] - values[:, 0]
            b = bias[0] if outputs == 1 else bias[1] - bias[0]
            everything = torch.ones(1, length, dtype=torch.bool)
            best, _ = adversarial_exact(s[None], row(model["attention"]), everything, b, epsilon)
            assert jsd == pytest.approx(best.item(), abs=1e-6)
            assert sum(weights) == pytest.approx(sum(model["attention"]), abs=1e-6)
            own, now = (readout(model).decode(row(a)) for a in (model["attention"], weights))
            assert total_variation(now, own).item() <= epsilon + 1e-6


def test_draws_are_those_of_python(call: Call) -> None:
    for length in LENGTHS:
        for number, draw in ((-(2**63), 0), (12345678901234567, 3), (2**63 - 1, 7)):
            ids, mask = torch.tensor([number]), torch.ones(1, length, dtype=torch.bool)
            code = "return m.permutation(BigInt(given.id), given.length, given.draw);"
            order = call("draws", code, id=str(number), length=length, draw=draw)
            assert order == permutations(ids, mask, draw + 1, 0)[0, draw].tolist()
            code = "return m.normals(BigInt(given.id), given.length, given.draw);"
            drawn = call("draws", code, id=str(number), length=length, draw=draw)
            assert drawn == pytest.approx(normals(ids, mask, draw + 1, 0)[0, draw].tolist(), abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "outputs"), [("linear", 1), ("linear", 4), ("tanh_linear", 3), ("pair_linear", 3)]
)
def test_the_search_finds_what_it_finds_in_python(call: Call, kind: str, outputs: int) -> None:
    model = example(17, outputs, kind)
    code = """
        const { model, id } = given;
        return Array.from(await m.searchedAdversary(model, model.attention, BigInt(id), 0.05));"""
    weights = call("search", code, model=model, id="42")
    own = row(model["attention"])
    mask, ids = torch.ones(1, 17, dtype=torch.bool), torch.tensor([42])
    jsd, _ = adversarial_search(readout(model), own, mask, epsilon=0.05, ids=ids)
    moved = total_variation(readout(model).decode(row(weights)), readout(model).decode(own))
    assert moved.item() <= 0.05
    # Python climbs in float32: the way up is not the same to the bit.
    assert jensen_shannon(row(weights), own).item() == pytest.approx(jsd.item(), abs=0.02)


@pytest.mark.parametrize("outputs", [1, 2, 4])
def test_no_attention_leaves_the_reachable_interval_and_its_ends_are_reached(
    call: Call, outputs: int
) -> None:
    model = example(6, outputs)
    draw = np.random.default_rng(0)
    alphas = [draw.dirichlet(np.full(6, a), 4000) for a in (0.05, 0.2, 1.0)]
    tried = torch.from_numpy(np.concatenate([*alphas, np.eye(6)]))
    for class_ in range(max(2, outputs)):
        code = "return m.reachable(given.model, given.class_);"
        found = call("whatif", code, model=model, class_=class_)
        values = readout(model).values.expand(len(tried), -1, -1)
        p = distribution(readout(model).head((tried[:, None] @ values)[:, 0]))[:, class_]
        assert found["exact"]
        assert found["low"] == pytest.approx(p.min().item(), abs=1e-9)
        assert p.max().item() <= found["high"] + 1e-6
        assert found["high"] - p.max().item() < 0.02


def test_a_weight_by_hand_leaves_the_sum_and_the_others_in_proportion(call: Call) -> None:
    code = "return given.cases.map(([w, t, x]) => m.withWeight(w, t, x));"
    cases = [[[0.5, 0.3, 0.2], 0, 0.0], [[1.0, 0.0, 0.0], 0, 0.4], [[1.0], 0, 0.3]]
    assert call("whatif", code, cases=cases) == [
        pytest.approx([0.0, 0.6, 0.4]),
        pytest.approx([0.4, 0.3, 0.3]),
        [1],
    ]


def test_what_ispacked_comes_out_as_it_went_in(call: Call) -> None:
    arrays = {
        "u1": np.arange(256),
        "u2": np.array([[0, 65535], [258, 7]]),
        "u4": np.array([2**32 - 1, 5]),
        "f4": np.array([1.5, -2.25e-30, np.nan]),
    }
    for kind, values in arrays.items():
        code = "return Array.from(await m.unpack(given.packed), (x) => Number.isNaN(x) ? null : x);"
        out = call("packed", code, packed=packed(values, kind))
        assert out == [None if x != x else x for x in values.astype(f"<{kind}").ravel().tolist()]
    code = "return Array.from(await m.unpack(given.packed), String);"
    assert call("packed", code, packed=packed(np.array([-(2**63), 3]), "i8")) == [str(-(2**63)), "3"]
    words = ["</script>", "ö", "日本", "\u2028"]
    assert call("packed", "return m.unpack(given.packed);", packed=packed_json(words)) == words
