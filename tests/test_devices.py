"""Given the same weights, CPU and GPU agree."""

import pytest
import torch
from toys import KINDS, make_batch, make_model

from attex.agreement import kendall_tau
from attex.foundations.devices import choose_device
from attex.importance.measure import MEASURES

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU on this machine")

LENGTHS = [7, 1, 12, 2, 40]


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_outputs_attention_and_measures_agree(kind: tuple[str, str, str]) -> None:
    device = choose_device("auto")
    assert device.type == "cuda"
    # Weights of ordinary size: cuDNN's recurrence differs by 1e-6, which large ones would amplify.
    model, batch = make_model(*kind, spread=0.5), make_batch(LENGTHS)
    here = model(batch)
    scores = {entry.name: entry.target(model, batch) for entry in MEASURES}
    model, batch = model.to(device), batch.to(device)
    there = model(batch)
    apart = {"logits": (here.logits - there.logits.cpu()).abs().max().item()}
    apart["attention weights"] = (here.attention - there.attention.cpu()).abs().max().item()
    for entry in MEASURES:
        found = entry.target(model, batch).cpu()
        assert torch.equal(found.isnan(), scores[entry.name].isnan())
        apart[entry.name] = (found - scores[entry.name]).abs().nan_to_num(0).max().item()
    assert max(apart.values()) < 1e-5, apart


def test_kendall_agrees() -> None:
    torch.manual_seed(0)
    a, b = torch.rand(20, 50), torch.rand(20, 50).round(decimals=1)
    mask = torch.arange(50) < torch.randint(1, 51, (20, 1))
    here, there = kendall_tau(a, b, mask), kendall_tau(a.cuda(), b.cuda(), mask.cuda())
    assert here.p_value is not None
    assert there.p_value is not None
    assert torch.allclose(here.value, there.value.cpu(), atol=1e-12, equal_nan=True)
    assert torch.allclose(here.p_value, there.p_value.cpu(), atol=1e-12, equal_nan=True)
