"""Searched rows of the last layer, against autograd through the whole model and against limits."""

import math
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import torch
from test_stacked import HEADS, LAYERS, classifier, pieces
from torch import Tensor
from toys import make_batch, make_model

from attex.counterfactual.stacked import ReadLayer, read_layers
from attex.counterfactual.stacked_search import search_rows
from attex.data.batch import Batch
from attex.foundations.divergences import jensen_shannon, total_variation
from attex.foundations.draws import normals
from attex.models.classifier import AttentionModel
from attex.models.pretrained import edits

CANDIDATES, STEPS = 2, 12


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> AttentionModel:
    return classifier(tmp_path_factory.mktemp("bert"), "bert")


def last_layer(model: AttentionModel, batch: Batch) -> ReadLayer:
    with torch.no_grad():
        *_, layer = read_layers(model, batch)
    return layer


def output(model: AttentionModel, batch: Batch, rows: Tensor) -> Tensor:
    """Run the whole model with the marker's rows [B,H,T] in the place of its own."""

    def edit(weights: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        return torch.cat([rows[:, :, None].to(values.dtype), weights[:, :, 1:]], dim=2), values

    with edits({LAYERS - 1: edit}):
        logits: Tensor = model(batch).logits
    return logits


def divergence(p: Tensor, q: Tensor) -> Tensor:
    """JSD of rows that may have no weight at places, which then have none in both."""
    middle = ((p + q) / 2).clamp(min=1e-300)
    terms = p * (p.clamp(min=1e-300) / middle).log() + q * (q.clamp(min=1e-300) / middle).log()
    return terms.sum(dim=-1).mean(dim=-1) / 2


def by_autograd(model: AttentionModel, batch: Batch, own: Tensor) -> Iterator[Tensor]:
    """Climb with torch's Adam and whole passes in float64: the candidates [K,B,H,T] of each step."""
    words = batch.scorable[:, None]
    share = (own * words).sum(dim=-1, keepdim=True)
    drawn = normals(batch.ids, batch.scorable, CANDIDATES * HEADS, 0)
    start = 3.0 * drawn.view(len(batch), CANDIDATES, HEADS, -1).transpose(0, 1)
    energies = start.clone().requires_grad_()
    optimiser = torch.optim.Adam([energies], lr=0.01, amsgrad=True)
    whole = output(model, batch, own).detach()

    def candidates() -> Tensor:
        spread = share * energies.masked_fill(~words, -torch.inf).softmax(dim=-1)
        return torch.where(words, spread, own)

    for _ in range(STEPS + 1):
        rows = candidates()
        yield rows.detach()
        gaps = torch.stack([total_variation(output(model, batch, each), whole) for each in rows])
        apart = sum(divergence(rows[i], rows[j]).sum() for i, j in combinations(range(CANDIDATES), 2))
        cross = apart / (CANDIDATES * (CANDIDATES - 1))
        loss = 500 * (gaps - 0.01).clamp(min=0).sum() - divergence(rows, own).sum() - cross
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()


def test_the_way_is_that_of_autograd_through_the_whole_model(model: AttentionModel) -> None:
    batch = pieces().take(torch.tensor([0, 1]))
    layer = last_layer(model, batch)
    found = search_rows(layer, epsilon=0.01, candidates=CANDIDATES, steps=STEPS)
    precise: Any = model.double()
    try:
        own = last_layer(precise, batch).weights[:, :, 0]
        best = torch.zeros(len(batch), dtype=torch.float64)
        whole = output(precise, batch, own).detach()
        for rows in by_autograd(precise, batch, own):
            for each in rows:
                near = total_variation(output(precise, batch, each), whole).detach() <= 0.01 - 1e-5
                best = best.maximum(divergence(each, own).where(near, 0.0))
        assert (best > 0).any(), "something was found"
        torch.testing.assert_close(found.jsd, best, atol=2e-4, rtol=0)
    finally:
        model.float()


@torch.no_grad()
def test_what_is_found_is_feasible_and_below_what_any_row_has(model: AttentionModel) -> None:
    batch = pieces()
    layer = last_layer(model, batch)
    own = layer.weights[:, :, 0].double()
    found = search_rows(layer, epsilon=0.05, steps=60)
    moved = total_variation(output(model, batch, found.weights), model(batch).logits)
    assert (moved[:2] <= 0.05 + 1e-6).all()
    torch.testing.assert_close(jensen_shannon(found.weights, own).mean(dim=1)[:2], found.jsd[:2])
    torch.testing.assert_close(found.weights.sum(dim=-1), own.sum(dim=-1))
    markers = ~batch.scorable[:, None].expand_as(own)
    assert torch.equal(found.weights[markers], own[markers])
    assert found.jsd[2].isnan()
    assert (found.jsd[:2] <= found.most[:2]).all()
    for text in range(2):
        corners = []
        for head in range(HEADS):
            row, words = own[text, head], batch.scorable[text]
            total, each = row[words].sum(), []
            for place in words.nonzero()[:, 0].tolist():
                other = row.clone()
                other[words] = 0.0
                other[place] = total
                each.append(float(jensen_shannon(other, row)))
            corners.append(max(each))
        assert float(found.most[text]) == pytest.approx(sum(corners) / HEADS)
    assert (found.most[:2] <= math.log(2)).all()


@torch.no_grad()
def test_without_a_bound_on_the_output_it_goes_nearly_as_far_as_any(model: AttentionModel) -> None:
    layer = last_layer(model, pieces().take(torch.tensor([0, 1])))
    found = search_rows(layer, epsilon=1.0, steps=500, candidates=3)
    assert (found.jsd >= 0.9 * found.most).all()


def test_a_layer_of_which_all_rows_are_read_is_refused(tmp_path: Path) -> None:
    layer = last_layer(make_model("transformer"), make_batch([3, 4]))
    with pytest.raises(ValueError, match="read alone"):
        search_rows(layer)
