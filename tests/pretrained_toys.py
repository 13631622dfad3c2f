"""Pretrained models and texts in their pieces that tests of several rooms share."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from attex.data.batch import Batch, Batcher
from attex.data.corpus import SPECIALS, Corpus
from attex.data.reader import Document
from attex.data.split import index_documents
from attex.data.subwords import in_pieces
from attex.foundations.errors import UserError
from attex.importance.measure import MEASURES, check_measure
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.models.pretrained_folder import WordCutter

TEXTS = ("the unbelievable film was not very good !", "dull", "a play is badly zorbed and fine")


def batch_of(folder: Path, texts: Sequence[str] = TEXTS, queries: Sequence[str] = ()) -> Batch:
    documents = [
        Document(
            str(n), "test", text.split(), "ab"[n % 2], query=queries[n].split() if queries else None
        )
        for n, text in enumerate(texts)
    ]
    words = {word for document in documents for text in document.texts for word in text}
    lexicon = [*SPECIALS, *sorted(words)]
    split = index_documents(documents, {word: n for n, word in enumerate(lexicon)}, ["a", "b"])
    corpus = Corpus(lexicon, len(lexicon), ["a", "b"], {"test": split}, facts={})
    return Batcher(in_pieces(corpus, WordCutter(folder)), "test").batch(range(len(texts)))


def encoder_under_attention(folder: Path, classes: int = 2, **options: Any) -> AttentionModel:
    spec = {"encoder": {"type": "pretrained", "path": str(folder), **options}}
    return assemble(MODELS.spec(spec), 0, classes, seed=0).eval()


def classifier(folder: Path, classes: int = 2, **options: Any) -> AttentionModel:
    spec = {"type": "pretrained_classifier", "path": str(folder), **options}
    return assemble(MODELS.spec(spec), 0, classes, seed=0).eval()


def skip_if_refused(measure: str, model: AttentionModel) -> None:
    """Skip what is refused before any training, and say why."""
    if MEASURES[measure].facts["over"] == "hidden" and not model.has_readout:
        pytest.skip("it is refused before any training: there is no attention over states")
    try:
        check_measure(MEASURES.spec(measure), model)
    except UserError as refused:
        pytest.skip(str(refused))
