"""Which published numbers cannot be measured here, and why: a few rules for all of them."""

from collections.abc import Callable
from dataclasses import dataclass

from attex.claims.ledger import Claim
from attex.claims.quantities import OVERALL, WITHOUT
from attex.claims.verdict import Verdict

AT_HAND = frozenset(
    ["sst", "imdb", "20news", "ag_news", "snli", "babi_1", "babi_2", "babi_3", "pronoun", "sst-wiki"]
)
"""Datasets that a reader of the public files has, if only in part (AG News, SNLI, bAbI 3)."""


@dataclass(frozen=True)
class Hindrance:
    """Why a number is not measured: the verdict that follows, and the reason in words."""

    verdict: Verdict
    reason: str


_HOSPITAL = (
    "diabetes",
    "anemia",
    "mortality",
    "readmission",
    "kneesurgery",
    "hipsurgery",
    "phenotyping",
)
_SEQUENCES = ("bigram_flip", "seq_copy", "seq_reverse", "en_de_multi30k")

_DATA: tuple[tuple[tuple[str, ...], Hindrance], ...] = (
    (_HOSPITAL, Hindrance(Verdict.NOT_PUBLIC, "records of patients, for those with credentials only")),
    (("adr",), Hindrance(Verdict.NOT_PUBLIC, "tweets that the authors give on request only")),
    (("occupation",), Hindrance(Verdict.NOT_PUBLIC, "the training texts are not to be had")),
    (("cnn", "mnli", "quora"), Hindrance(Verdict.NOT_RUN, "the data are public and not at hand here")),
    (_SEQUENCES, Hindrance(Verdict.NOT_RUN, "the answer is a sequence, and attex has classifiers")),
)

_PRETRAINED = ("bert", "roberta")

_NEEDS: tuple[tuple[str, Callable[[Claim], bool]], ...] = (
    (
        "to know which word a class is: theirs are numbered as they were first met",
        lambda c: c.dataset.startswith("babi_") and c.class_ != OVERALL,
    ),
    (
        "their Transformer, which is another one than ours, and wrongly composed: values meet the output"
        " matrix before heads are told apart, which is not the function that was pretrained",
        lambda c: c.encoder == "distilbert",
    ),
    ("a run with a pretrained encoder of this kind", lambda c: c.encoder in _PRETRAINED),
    ("a run of the study of ROAR", lambda c: c.quantity.startswith("racu_")),
    (
        "a choice, not a measurement: λ is a setting of theirs, at which ours are trained",
        lambda c: c.quantity.startswith("lambda("),
    ),
    ("a run of the study of adversaries", lambda c: "adversary, " in c.quantity),
    ("a run of the study of guides", lambda c: "guide=" in c.quantity),
    ("a run of the study of deception", lambda c: "lambda=" in c.quantity),
    (
        "a run of models that never see impermissible tokens",
        lambda c: c.quantity.endswith(f"({WITHOUT})"),
    ),
)
"""What it would take to have a number, and of which numbers; the first that fits is named."""


def hindrance(claim: Claim) -> Hindrance | None:
    """Return why a number cannot be measured today; None if a run on data at hand answers it."""
    for datasets, why in _DATA:
        if claim.dataset in datasets:
            return why
    for need, concerns in _NEEDS:
        if concerns(claim):
            return Hindrance(Verdict.NOT_RUN, f"needs {need}")
    return None
