"""What encoders know better about deletion, against re-encoding every variant."""

import pytest
import torch
from toys import WIDTH, WORD_ENCODERS, make_batch, sized

from attex.models.encoder import ENCODERS, Deletions, Encoded, Encoder
from attex.models.reads import Read, only_column, unchanged

LENGTHS = [7, 1, 12, 2, 5]


def reads(width: int) -> list[Read]:
    """Two reads as attention and decoder have them: through a tanh with an offset, and linear."""
    torch.manual_seed(5)
    outer = torch.randn(3, dtype=torch.float64)
    return [
        Read(
            torch.randn(3, width, dtype=torch.float64),
            torch.randn(3, dtype=torch.float64),
            lambda inner: torch.tanh(inner) @ outer,
        ),
        Read(torch.randn(2, width, dtype=torch.float64), None, unchanged),
        Read(torch.randn(1, width, dtype=torch.float64), None, only_column),
    ]


def keys(variants: Deletions) -> list[tuple[int, int]]:
    return list(zip(variants.texts.tolist(), variants.positions.tolist(), strict=True))


@pytest.mark.parametrize("name", [entry.name for entry in WORD_ENCODERS])
@pytest.mark.parametrize("budget", [1, 20_000, 2**30])
def test_every_override_equals_re_encoding(name: str, budget: int) -> None:
    torch.manual_seed(0)
    encoder: Encoder = ENCODERS.bind(ENCODERS.spec(sized(name)), WIDTH).double()
    batch = make_batch(LENGTHS, extra_padding=2)
    embedded = torch.randn(*batch.tokens.shape, WIDTH, dtype=torch.float64)
    deleted = batch.scorable & (batch.scorable.sum(dim=1, keepdim=True) > 1)
    whole = Encoded(embedded, encoder(embedded, batch.mask), batch.mask, deleted)
    found = list(encoder.without_each(whole, reads(encoder.width), budget))
    again = Encoder.without_each(encoder, whole, reads(encoder.width), 2**30)
    expected = {}
    for variants in again:
        keep = variants.remaining(batch.mask)
        for row, key in enumerate(keys(variants)):
            expected[key] = [values[row][keep[row]] for values in variants.reads]
    seen = set()
    for variants in found:
        keep = variants.remaining(batch.mask)
        for row, key in enumerate(keys(variants)):
            seen.add(key)
            for values, wanted in zip(variants.reads, expected[key], strict=True):
                assert torch.allclose(values[row][keep[row]], wanted, atol=1e-10)
    assert seen == set(expected) == set(map(tuple, deleted.nonzero().tolist()))
