"""What holds for every statistic: batches, padding, dtype, undefined values."""

from typing import Any

import pytest
import torch
from score_rows import batch

from attex.agreement.statistic import STATISTICS, Agreement
from attex.foundations import memory


def compute(name: str, *rows: torch.Tensor) -> Agreement:
    entry = STATISTICS[name]
    return entry.target(*rows, **({"k": 4} if "k" in entry.options.model_fields else {}))


def same(first: Agreement, second: Agreement) -> None:
    for x, y in zip(fields(first), fields(second), strict=True):
        assert (x is None) == (y is None)
        if x is not None:
            torch.testing.assert_close(x, y, rtol=0, atol=1e-12, equal_nan=True)


def fields(agreement: Agreement) -> tuple[torch.Tensor | None, ...]:
    return agreement.value, agreement.p_value, agreement.depth


every = pytest.mark.parametrize("name", [entry.name for entry in STATISTICS])


@every
def test_alone_padded_and_in_a_batch_it_is_the_same(name: str) -> None:
    rows = batch(each=4)
    together = compute(name, *rows)
    wider = [torch.nn.functional.pad(x, (0, 9)) for x in rows]
    same(compute(name, *wider), together)
    for i in range(len(rows[0])):
        alone = compute(name, *(x[i : i + 1] for x in rows))
        same(alone, Agreement(*(None if x is None else x[i : i + 1] for x in fields(together))))


@every
def test_closing_the_holes_of_the_mask_changes_nothing(name: str) -> None:
    rows = batch(each=4)
    closed = (~rows[2]).long().argsort(dim=1, stable=True)
    same(compute(name, *(x.gather(1, closed) for x in rows)), compute(name, *rows))


@every
def test_small_pieces_give_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = batch(each=4)
    whole = compute(name, *rows)
    pieces = memory.spans
    for module in ("statistic", "ordering"):
        monkeypatch.setattr(f"attex.agreement.{module}.spans", lambda total, _, *__: pieces(total, 1, 3))
    same(compute(name, *rows), whole)


@every
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_any_float_goes_in_and_float64_comes_out(name: str, dtype: torch.dtype) -> None:
    a, b, mask = batch(each=2)
    found = compute(name, a.to(dtype).requires_grad_(), b.to(dtype), mask)
    same(found, compute(name, a.to(dtype).double(), b.to(dtype).double(), mask))
    assert all(x is None or (x.dtype == torch.float64 and not x.requires_grad) for x in fields(found))


@every
def test_a_counted_nan_is_undefined(name: str) -> None:
    a, b = torch.rand(2, 3, 9, dtype=torch.float64)
    b[1, 4] = float("nan")
    found = compute(name, a, b, torch.ones(3, 9, dtype=torch.bool))
    assert found.value.isnan().tolist() == [False, True, False]
    assert all(x is None or x.isnan().tolist() == [False, True, False] for x in fields(found))


@every
def test_an_infinite_score_is_only_a_large_one(name: str) -> None:
    if name == "pearson":
        pytest.skip("not a statistic of ranks")
    a, b = torch.rand(2, 1, 9, dtype=torch.float64)
    large, infinite = a.clone(), a.clone()
    large[0, 2], infinite[0, 2] = 100.0, float("inf")
    mask = torch.arange(9)[None] < 7
    same(compute(name, infinite, b, mask), compute(name, large, b, mask))


@every
def test_an_empty_batch_gives_an_empty_answer(name: str) -> None:
    nothing = torch.empty(0, 5)
    found = compute(name, nothing, nothing, nothing.bool())
    assert all(x is None or x.shape == (0,) for x in fields(found))


@every
def test_a_text_without_tokens_is_undefined(name: str) -> None:
    none: Any = torch.zeros(1, 5, dtype=torch.bool)
    assert compute(name, torch.rand(1, 5), torch.rand(1, 5), none).value.isnan().all()


@every
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gives_the_same(name: str) -> None:
    for width in (24, 150):
        rows = batch(width)
        found = compute(name, *(x.cuda() for x in rows))
        assert all(x is None or x.is_cuda for x in fields(found))
        same(Agreement(*(None if x is None else x.cpu() for x in fields(found))), compute(name, *rows))
