"""The kernels that train an LSTM on a GPU, against torch's own; without one, by Triton's interpreter.

Triton comes with torch where torch has a GPU. Elsewhere: `pip install triton`, and TRITON_INTERPRET=1.
"""

import os

import pytest
import torch

from attex.foundations.devices import training_steps
from attex.models.encoders.lstm import LSTM

pytest.importorskip("triton")
on_gpu = torch.cuda.is_available()
if not on_gpu and os.environ.get("TRITON_INTERPRET") != "1":
    pytest.skip("Triton needs a GPU, or TRITON_INTERPRET=1", allow_module_level=True)

from attex.models import lstm_kernels  # noqa: E402

DEVICE = torch.device("cuda" if on_gpu else "cpu")


@pytest.fixture(autouse=True)
def without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    if not on_gpu:
        monkeypatch.setattr(lstm_kernels, "_room", lambda device: 2**17)


@pytest.fixture(params=["kept", "read anew"])
def weights(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the weights of a direction are: on the chip, where they fit, or in memory."""
    if request.param == "read anew":
        monkeypatch.setattr(lstm_kernels, "_kept", lambda columns, bytes_each, device: False)


def both(
    width: int, lengths: list[int], exact: bool, size: float = 1.0
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return states and all gradients: those of the kernels, and torch's in double precision.

    The gradient of the states is of a size.
    """
    torch.manual_seed(width)
    encoder = LSTM(12, hidden=width).to(DEVICE)
    counts, longest = torch.tensor(lengths, device=DEVICE), max(lengths)
    mask = torch.arange(longest, device=DEVICE) < counts[:, None]
    embedded = torch.randn(len(lengths), longest, 12, device=DEVICE)
    wanted = size * torch.randn(len(lengths), longest, 2 * width, device=DEVICE)

    def found(hidden: torch.Tensor, start: torch.Tensor, model: LSTM) -> list[torch.Tensor]:
        into = [start, *model.parameters()]
        return [hidden, *torch.autograd.grad((hidden * wanted.to(hidden)).sum(), into)]

    start = embedded.clone().requires_grad_()
    with training_steps(exact):
        hidden = lstm_kernels.both_ways(start, mask, encoder.ahead, encoder.back)
        ours = found(hidden, start, encoder)
    double, precise = embedded.cpu().double().requires_grad_(), LSTM(12, hidden=width).double()
    precise.load_state_dict({name: value.cpu() for name, value in encoder.state_dict().items()})
    theirs = found(precise(double, mask.cpu()), double, precise)
    return [*zip((x.cpu().double() for x in ours), theirs, strict=True)]


WIDTHS = [8, 24, 64, 128, 256] if on_gpu else [8, 24]
LENGTHS = [[1], [7, 3, 1, 6, 7], [1 + number % 9 for number in range(37)]]


@pytest.mark.usefixtures("weights")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("lengths", LENGTHS)
def test_states_and_gradients_are_those_of_torch(width: int, lengths: list[int]) -> None:
    for ours, theirs in both(width, lengths, exact=True):
        near = 1e-5 * max(1.0, theirs.abs().max().item())
        assert (ours - theirs).abs().max().item() < near


def test_padding_holds_zeros() -> None:
    ((hidden, _), *_) = both(8, [3, 9], exact=True)
    assert not hidden[0, 3:].any()


@pytest.mark.usefixtures("weights")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("lengths", [*LENGTHS, [40, 33, 12]])
def test_rough_steps_are_near(width: int, lengths: list[int]) -> None:
    for ours, theirs in both(width, lengths, exact=False):
        assert (ours - theirs).abs().max().item() < 5e-3 * max(1.0, theirs.abs().max().item())


@pytest.mark.usefixtures("weights")
@pytest.mark.parametrize("size", [1e-12, 1e6])
def test_the_size_of_a_gradient_costs_no_precision(size: float) -> None:
    small, wanted = ([*both(8, [5, 9, 2], exact=False, size=each)] for each in (size, 1.0))
    for (ours, _), (usual, _) in zip(small[1:], wanted[1:], strict=True):
        assert torch.allclose(ours / size, usual, rtol=2e-2, atol=2e-3 * usual.abs().max().item())


def test_no_gradient_gives_none() -> None:
    for ours, _ in both(8, [3, 2], exact=False, size=0.0)[1:]:
        assert not ours.any()


@pytest.mark.skipif(not on_gpu, reason="the CPU has no such kernels")
def test_kernels_are_for_steps_where_many_share_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTEX_GPU_SHARERS", "14")
    encoder = LSTM(12, hidden=16).to(DEVICE)
    embedded = torch.randn(2, 5, 12, device=DEVICE)
    mask = torch.ones(2, 5, dtype=torch.bool, device=DEVICE)
    assert "BothWays" not in type(encoder(embedded, mask).grad_fn).__name__
    with training_steps(exact=True):
        assert "BothWays" in type(encoder(embedded, mask).grad_fn).__name__
        assert not torch.backends.cuda.matmul.allow_tf32
    with training_steps(exact=False):
        assert torch.backends.cuda.matmul.allow_tf32
    assert not torch.backends.cuda.matmul.allow_tf32
    monkeypatch.setenv("ATTEX_GPU_SHARERS", "1")
    with training_steps(exact=True):
        assert "BothWays" not in type(encoder(embedded, mask).grad_fn).__name__


@pytest.mark.skipif(not on_gpu, reason="the CPU has no such kernels")
def test_too_wide_an_lstm_is_left_to_cudnn() -> None:
    assert lstm_kernels.serves(256, DEVICE)
    assert not lstm_kernels.serves(257, DEVICE)
