"""The attention that differs most while the output stays, by gradient ascent, as it was published."""

from typing import Literal

import torch
from torch import Tensor

from attex.counterfactual.climb import Aim, Climb, Rows
from attex.foundations.divergences import jensen_shannon
from attex.foundations.draws import normals
from attex.foundations.memory import budget_on, spans
from attex.foundations.progress import steps as parts
from attex.models.decoder import Readout

_BYTES_PER_POSITION = 80


def adversarial_search(
    readout: Readout,
    attention: Tensor,
    mask: Tensor,
    *,
    epsilon: float = 0.01,
    candidates: int = 5,
    steps: int = 500,
    lr: float = 0.01,
    penalty: float = 500.0,
    seed: int = 0,
    ids: Tensor | None = None,
    noise: float = 3.0,
    cross: Literal["paper", "released"] = "paper",
    distance: Literal["tvd", "l1"] = "tvd",
    accept: float | None = None,
    keep: Literal["best", "last"] = "best",
    patience: int | None = 250,
) -> tuple[Tensor, Tensor]:
    """Search for attention far from α that leaves the output within ε (Jain & Wallace 2019, Alg. 3).

    K candidates α_k = softmax(u_k), at first u_k = noise · N(0, 1), move by Adam (AMSGrad) to
    maximise Σ_k JSD(α_k, α) + c Σ_{i<j} JSD(α_i, α_j) − penalty · Σ_k max(0, Δ(α_k) − ε), with Δ the
    distance of the outputs and c = 1/(K(K−1)). The answer is the largest JSD of a candidate at any
    step with Δ ≤ ε, and that candidate; 0 and α itself where there is none. readout, attention
    [B,T], mask [B,T] → (jsd [B] in nats, attention [B,T]), float64; NaN and 0 for a text without a
    counted position. A lower bound: `adversarial_exact` has the maximum itself.

    A text stops when its best JSD has not risen in `patience` steps. As the released code has it:
    cross = "released" (c = 2/K²), distance = "l1" (Σ |Δy| of a softmax: twice the TVD), accept =
    0.05 (candidates up to this distance, whatever ε was), keep = "last", patience = None.

    Args:
        readout: what the output depends on.
        attention: the model's own α, [B,T].
        mask: the positions that can have weight, [B,T].
        epsilon: how far the output may move.
        candidates: K.
        steps: of Adam.
        lr: the learning rate of Adam.
        penalty: what a distance beyond ε costs.
        seed: where the draws of the first u_k start.
        ids: a number for each text, [B], which its draws depend on.
        noise: the standard deviation of the first u_k.
        cross: c, as in the paper or as in the released code.
        distance: Δ; they differ for several logits only.
        accept: up to which Δ a candidate counts; ε unless given.
        keep: the best candidate of all steps, or of the last step.
        patience: None for all steps.

    Example:
        The two words say the same, so that all weight can move from one to the other: ln 2 = 0.6931.

        >>> import torch
        >>> from attex.counterfactual import adversarial_search
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[1, 1])
        >>> readout = model.readout(model.embed(batch), batch)
        >>> own = torch.tensor([[1.0, 0.0]])
        >>> jsd, other = adversarial_search(readout, own, batch.mask)
        >>> jsd.round(decimals=2), other.round(decimals=2)
        (tensor([0.6900], dtype=torch.float64), tensor([[0., 1.]], dtype=torch.float64))
    """
    factor = 1 / (candidates * max(1, candidates - 1)) if cross == "paper" else 2 / candidates**2
    aim = Aim(epsilon, penalty, factor, distance == "l1", epsilon if accept is None else accept)
    attention = attention.double() * mask
    ids = (torch.arange(len(attention)) if ids is None else ids).to(mask.device)
    adversarial = attention.clone()
    size = candidates * mask.shape[1] * _BYTES_PER_POSITION
    with torch.no_grad():
        for span in parts(spans(len(attention), size, budget_on(mask.device))):
            start = noise * normals(ids[span], mask[span], candidates, seed)
            rows = _as_rows(readout.of(span, readout.values[span]), attention[span], mask[span])
            climb = Climb(rows, start[:, None], aim)
            adversarial[span] = climb.run(steps, lr, keep == "best", patience)[:, 0]
        jsd = jensen_shannon(adversarial, attention)
    return jsd.masked_fill(~mask.any(dim=1), float("nan")), adversarial


def _as_rows(readout: Readout, attention: Tensor, mask: Tensor) -> Rows:
    """Take the attention for that of a single head, with all weight on the mask."""

    def logits(mixed: Tensor, texts: Tensor) -> Tensor:
        return readout.of(texts, readout.values).logits(mixed[:, 0])

    share = torch.ones(len(attention), 1, device=mask.device)
    return Rows(attention[:, None], mask, share, readout.values[:, None], logits)
