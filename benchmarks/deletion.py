"""Leave-one-out against one re-encoding per position."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import torch

from attex.data.batch import Batch
from attex.data.corpus import END, START
from attex.importance.leaving_out import leave_one_out
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from benchmarks.timing import Result, compare

WORDS, ANSWERS = 1_000, 36
ASKED = 6
"""Tokens of a question, about as many as bAbI's have."""


def make(encoder: str) -> AttentionModel:
    """Build a model of the papers' size over a small vocabulary."""
    return assemble(MODELS.spec({"encoder": encoder}), WORDS, classes=2, seed=0).eval()


def make_asked(encoder: str, attention: str) -> AttentionModel:
    """Build one that is asked a question."""
    parts = {"encoder": encoder, "attention": attention, "decoder": "query", "query": {}}
    return assemble(MODELS.spec(parts), WORDS, classes=ANSWERS, seed=0).eval()


def texts(count: int, length: int) -> Batch:
    """Draw texts of one length."""
    torch.manual_seed(0)
    tokens = torch.randint(4, WORDS, (count, length + 2))
    tokens[:, 0], tokens[:, -1] = START, END
    mask = torch.ones_like(tokens, dtype=torch.bool)
    scorable = mask.clone()
    scorable[:, [0, -1]] = False
    return Batch(tokens, mask, scorable, torch.zeros(count).long(), torch.arange(count))


def outputs(logits: torch.Tensor) -> torch.Tensor:
    """Return all outputs of a model: [B,2] or more."""
    if logits.shape[1] > 1:
        return logits.softmax(dim=1)
    return torch.cat([torch.sigmoid(logits), torch.sigmoid(-logits)], dim=1)


@torch.no_grad()
def naive(model: AttentionModel, batch: Batch) -> torch.Tensor:
    """Delete a column, run the model, and so on: without autograd, in batches of 32."""
    pieces = []
    for part in batch.split([len(some) for some in torch.arange(len(batch)).split(32)]):
        whole = outputs(model(part).logits)
        changes = []
        for t in range(1, part.tokens.shape[1] - 1):
            left = [
                torch.cat([v[:, :t], v[:, t + 1 :]], 1) for v in (part.tokens, part.mask, part.scorable)
            ]
            without = replace(part, tokens=left[0], mask=left[1], scorable=left[2])
            changes.append((outputs(model(without).logits) - whole).abs().sum(dim=1, keepdim=True) / 2)
        pieces.append(torch.cat(changes, dim=1))
    return torch.cat(pieces)


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Compare at the lengths of SST and IMDB, and with a question at that of bAbI's stories."""
    for encoder, length, count, at_least in (
        ("lstm", 20, 64, 3.0),
        ("lstm", 100, 32, 3.0),
        ("lstm", 200, 32, 3.0),
        # Of n tokens a re-encoding of each is n times the work, so that 20 cannot give 30.
        ("average", 100, 32, 30.0),
        ("average", 200, 32, 30.0),
        # Two encodings and six gaps beside about a hundred encodings: a busy machine hides the rest.
        ("cnn", 100, 32, 20.0),
        ("cnn", 200, 32, 30.0),
    ):
        model, batch = make(encoder), texts(count, length)
        found = leave_one_out(model, batch)[:, 1:-1]
        assert torch.allclose(found.float(), naive(model, batch), atol=1e-5)
        name = f"leave-one-out, {encoder}, {length} tokens"
        yield compare(
            name,
            lambda m=model, b=batch: leave_one_out(m, b),
            lambda m=model, b=batch: naive(m, b),
            at_least,
            times=1 if encoder == "lstm" and length == 200 else 5,
        )
    for encoder, attention in (("lstm", "tanh"), ("lstm", "sdp")):
        model, batch = make_asked(encoder, attention), texts(32, 60)
        batch = replace(batch, query=texts(32, ASKED))
        found = leave_one_out(model, batch)[:, 1:-1]
        assert torch.allclose(found.float(), naive(model, batch), atol=1e-5)
        yield compare(
            f"leave-one-out, {encoder} + {attention} with a query, 60 tokens",
            lambda m=model, b=batch: leave_one_out(m, b),
            lambda m=model, b=batch: naive(m, b),
            3.0,
            times=2,
        )
