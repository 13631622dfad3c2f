"""What a person who looks into single texts needs of a model: its weights, and what they weigh."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import torch
from torch import Tensor

from attex.agreement.kendall import kendall_tau
from attex.analyses.analysis import ANALYSED, Subject
from attex.analyses.pieces import put_together
from attex.analyses.readings import Reading, readings, token_logits
from attex.counterfactual.exact import adversarial_exact
from attex.data.batch import Batcher, ordered_batches
from attex.foundations.divergences import normalised_entropy
from attex.importance.influence import influence_on_states
from attex.importance.weights import attention as weights_of

REACH_EPSILON = 0.05
"""How far the exact adversary may move the output when texts are sorted by how far it gets."""

CHOSEN = 50
"""Texts of which everything is kept: influence is quadratic in their length."""
_LONGEST_CHOSEN = 256
_VALUES_OF_ALL = 4
"""Values a token, up to which they are kept of all texts: those of a linear decoder are few."""
_PADDED_TOKENS = 32_768


def explore(subject: Subject) -> dict[str, Tensor]:
    """Find out what the explorer shows of one model; names and shapes as in `report/explorer.py`.

    attention [n] and values [n′,k] are flat, as are scores. `valued` and `influenced` number the texts
    that values and influence are of; without `valued` those are all. `bias` and `weight` are the
    numbers of the decoder's head, if it has a form that the page can compute (`Decoder.formula`).
    """
    texts, model = subject.texts, subject.load()
    if not model.has_readout:
        return _without_readout(subject)
    chosen = chosen_texts(texts.lengths)
    form = model.decoder.formula()
    attention = torch.zeros(len(texts.words))
    kept: dict[int, Tensor] = {}
    pieces = []
    for part in readings(subject, "explorer", by_word=True):
        pieces.append((part.texts, _columns(part)))
        k = part.readout.values.shape[-1]
        for row, text in enumerate(part.texts.tolist()):
            start, end = texts.starts[text : text + 2].tolist()
            attention[start:end] = part.attention[row, : end - start].float().cpu()
            if form is not None and (k <= _VALUES_OF_ALL or text in chosen):
                kept[text] = part.readout.values[row, : end - start].float().cpu()
    found = put_together(pieces, len(texts))
    found |= {"attention": attention, "disagreement": disagreement(subject.joined())}
    if form is not None:
        found |= {"values": torch.cat([kept[text] for text in sorted(kept)]), **form[1]}
        if len(kept) < len(texts):
            found["valued"] = torch.tensor(sorted(kept))
    # Of pieces of words it would take a pass through all layers for each: minutes, for a page.
    chosen = set() if model.encoder.reads_pieces else chosen
    return found | _influence(subject, sorted(chosen))


def _without_readout(subject: Subject) -> dict[str, Tensor]:
    """Find out what there is of a model whose attention lies in layers: the weights, and no values."""
    model, texts = subject.load(), Batcher(subject.corpus, ANALYSED, subject.device)
    attention = torch.zeros(len(subject.texts.words))
    pieces = []
    for chosen in ordered_batches(texts.lengths, _PADDED_TOKENS):
        batch = texts.batch(chosen)
        words = int(texts.words[chosen].max())
        laid = batch.by_word(weights_of(model, batch), words).nan_to_num(0.0)
        counted = batch.by_word(batch.scored.double(), words) == 1
        pieces.append((chosen, {"entropy": normalised_entropy(laid, counted)}))
        for row, text in enumerate(chosen.tolist()):
            start, end = subject.texts.starts[text : text + 2].tolist()
            attention[start:end] = laid[row, : end - start].float().cpu()
    found = put_together(pieces, len(texts))
    return found | {"attention": attention, "disagreement": disagreement(subject)}


def chosen_texts(lengths: Tensor) -> set[int]:
    """Choose texts of ordinary length, evenly spaced; fewer where there are fewer."""
    short = (lengths <= _LONGEST_CHOSEN).nonzero()[:, 0].tolist()
    count = min(CHOSEN, len(short))
    return {short[i * len(short) // count] for i in range(count)}


def _columns(part: Reading) -> dict[str, Tensor]:
    columns = {"entropy": normalised_entropy(part.attention, part.mask)}
    single = token_logits(part)
    if single is not None:
        logits, bias = single
        columns["reach"] = adversarial_exact(logits, part.attention, part.mask, bias, REACH_EPSILON)[0]
    return columns


def disagreement(subject: Subject) -> Tensor:
    """Return Kendall's τ of every pair of measures on every text: [P,N], NaN where undefined."""
    pairs, texts = list(combinations(subject.titles, 2)), subject.texts
    values = torch.full((len(pairs), len(texts)), float("nan"), dtype=torch.float64)
    for batch in ordered_batches(texts.lengths.numpy(), _PADDED_TOKENS):
        laid = {name: texts.side_by_side(subject.scores[name], batch) for name in subject.titles}
        for row, (first, second) in enumerate(pairs):
            (a, mask), (b, _) = laid[first], laid[second]
            values[row, batch] = kendall_tau(a, b, mask).value
    return values


def _influence(subject: Subject, chosen: Sequence[int]) -> dict[str, Tensor]:
    """Return the shares [T,T] of the chosen texts in turn, at 8 bits of each text's highest."""
    if not chosen:
        return {}
    model, texts = subject.load(), Batcher(subject.corpus, ANALYSED, subject.device)
    margin = int(subject.corpus.markers)
    flat: list[Tensor] = [torch.empty(0)] * len(chosen)
    highs = torch.zeros(len(chosen))
    lengths = subject.texts.lengths[torch.tensor(chosen)].numpy()
    for places in ordered_batches(lengths, _PADDED_TOKENS):
        batch = texts.batch(np.array(chosen)[places])
        for span, shares in influence_on_states(model, batch):
            for place, square in zip(places[span], shares, strict=True):
                inside = slice(margin, margin + int(lengths[place]))
                part = square[inside, inside].nan_to_num(0.0).cpu()
                highs[place] = part.max()
                flat[place] = (part / part.max().clamp(min=1e-30) * 255).round().to(torch.uint8)
    joined = torch.cat([part.flatten() for part in flat])
    return {"influenced": torch.tensor(chosen), "influence": joined, "influence_highs": highs}
