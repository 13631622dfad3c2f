"""Encoders against PyTorch's own layers and against their equations."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attex.foundations.errors import UserError
from attex.models.encoder import ENCODERS, Encoder

WIDTH = 10
LENGTHS = torch.tensor([6, 1, 9, 3])


def make(**options: object) -> Encoder:
    torch.manual_seed(0)
    encoder: Encoder = ENCODERS.bind(ENCODERS.spec(options), WIDTH)
    return encoder


def inputs() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(1)
    return torch.randn(4, 9, WIDTH), torch.arange(9) < LENGTHS[:, None]


@pytest.mark.parametrize(("name", "cell"), [("lstm", nn.LSTM), ("gru", nn.GRU)])
def test_recurrences_equal_torchs_over_packed_sequences(name: str, cell: type[nn.LSTM]) -> None:
    encoder, (embedded, mask) = make(type=name, hidden=6), inputs()
    reference = cell(WIDTH, 6, batch_first=True, bidirectional=True)
    for suffix, part in (("", encoder.ahead), ("_reverse", encoder.back)):
        for key, value in part.state_dict().items():
            reference.get_parameter(key + suffix).data.copy_(value)
    packed = pack_padded_sequence(embedded, LENGTHS, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(reference(packed)[0], batch_first=True)
    assert torch.allclose(encoder(embedded, mask), expected, atol=1e-6)


@pytest.mark.parametrize("name", ["lstm", "gru"])
def test_recurrences_have_the_gradient_of_packed_ones(name: str) -> None:
    encoder, (embedded, mask) = make(type=name, hidden=3).double(), inputs()
    whole = embedded[:2, :6].double().requires_grad_()
    assert torch.autograd.gradcheck(lambda e: encoder(e, mask[:2, :6]), whole)


def test_cnn_equals_torchs_convolutions_over_each_text_alone() -> None:
    encoder, (embedded, mask) = make(type="cnn", hidden=8, widths=[1, 3, 5, 7]), inputs()
    hidden = encoder(embedded, mask)
    start = 0
    for number, width in enumerate((1, 3, 5, 7)):
        block = encoder.weight[start : start + 2 * width].view(width, 2, WIDTH)
        start += 2 * width
        channel = slice(2 * number, 2 * number + 2)
        for row, length in enumerate(LENGTHS.tolist()):
            text = embedded[row : row + 1, :length].mT
            kernel = block.permute(1, 2, 0)
            expected = F.conv1d(text, kernel, encoder.bias[channel], padding=width // 2).relu().mT
            assert torch.allclose(hidden[row : row + 1, :length, channel], expected, atol=1e-5)


def test_cnn_starts_as_torchs_convolutions_do() -> None:
    encoder = make(type="cnn", hidden=512, widths=[1, 7])
    narrow, wide = encoder.weight[:256], encoder.weight[256:]
    for block, width in ((narrow, 1), (wide, 7)):
        bound = 1 / math.sqrt(WIDTH * width)
        assert block.abs().max() <= bound
        assert block.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.1)


def test_average_is_a_linear_layer_and_a_tanh() -> None:
    encoder, (embedded, mask) = make(type="average", hidden=5), inputs()
    expected = torch.tanh(encoder.project(embedded)) * mask[..., None]
    assert torch.allclose(encoder(embedded, mask), expected)


@pytest.mark.parametrize("normalised", ["before", "after"])
def test_a_transformer_layer_equals_torchs(normalised: str) -> None:
    encoder = make(type="transformer", hidden=8, heads=2, layers=2, normalised=normalised)
    embedded, mask = inputs()
    for name, parameter in encoder.named_parameters():
        if "before" in name or "after" in name or name.startswith("norm"):
            nn.init.uniform_(parameter, 0.5, 1.5)
    states = encoder.input(embedded) + torch.tensor(sinusoids(9, 8), dtype=torch.float32)
    first = normalised == "before"
    for layer in encoder.stack:
        reference = nn.TransformerEncoderLayer(8, 2, 8, 0.0, norm_first=first, batch_first=True)
        of_attention = layer.before_attention if first else layer.after_attention
        of_feed = layer.before_feed if first else layer.after_feed
        reference.load_state_dict(
            {
                "self_attn.in_proj_weight": layer.queries_keys_values.weight,
                "self_attn.in_proj_bias": layer.queries_keys_values.bias,
                "self_attn.out_proj.weight": layer.output.weight,
                "self_attn.out_proj.bias": layer.output.bias,
                "linear1.weight": layer.feed[0].weight,
                "linear1.bias": layer.feed[0].bias,
                "linear2.weight": layer.feed[2].weight,
                "linear2.bias": layer.feed[2].bias,
                "norm1.weight": of_attention.weight,
                "norm1.bias": of_attention.bias,
                "norm2.weight": of_feed.weight,
                "norm2.bias": of_feed.bias,
            }
        )
        states = reference(states, src_key_padding_mask=~mask)
    expected = (encoder.norm(states) if first else states) * mask[..., None]
    assert torch.allclose(encoder(embedded, mask), expected, atol=1e-5)


def sinusoids(length: int, width: int) -> np.ndarray:
    table = np.zeros((length, width))
    for t in range(length):
        for i in range(0, width, 2):
            angle = t / 10_000 ** (i / width)
            table[t, i], table[t, i + 1] = math.sin(angle), math.cos(angle)
    return table


@pytest.mark.parametrize("projection", ["softmax", "sparsemax"])
def test_the_layers_of_a_transformer_are_distributions(projection: str) -> None:
    encoder, (embedded, mask) = make(type="transformer", hidden=8, inner_projection=projection), inputs()
    _, layers = encoder.trace(embedded, mask)
    assert layers is not None
    assert layers.shape == (4, 2, 1, 9, 9)
    assert torch.allclose(layers.sum(dim=-1), torch.ones(4, 2, 1, 9), atol=1e-5)
    assert (layers[~mask[:, None, None, None, :].expand_as(layers)] == 0).all()
    assert make(type="lstm").trace(embedded, mask)[1] is None


def test_where_a_transformer_normalises_is_no_part_of_old_keys() -> None:
    spec = ENCODERS.spec
    assert "normalised" not in spec({"type": "transformer", "normalised": "before"}).settings()
    assert spec({"type": "transformer", "normalised": "after"}).settings()["normalised"] == "after"


@pytest.mark.parametrize(
    "options",
    [
        {"type": "cnn", "widths": [2, 3]},
        {"type": "cnn", "hidden": 10},
        {"type": "transformer", "hidden": 7},
        {"type": "transformer", "hidden": 8, "heads": 3},
    ],
)
def test_options_that_do_not_go_together_are_named(options: dict[str, object]) -> None:
    with pytest.raises(UserError, match=r"model\.encoder: (widths|hidden)"):
        make(**options)
