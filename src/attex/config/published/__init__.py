"""Experiment files of published systems, as experiments of attex.

Neely & Schouten (2020) and court-of-xai write theirs for AllenNLP: `dataset_reader`, `model`,
`iterator` or `data_loader`, `trainer`, and later `attention_experiment`. Every key of such a file is
taken by a row of `KEYS`, or named.
"""

import copy
from collections.abc import Mapping
from typing import Any

from attex.config.plain import dotted
from attex.config.published.comparison_keys import COMPARISON_KEYS, finish_comparison
from attex.config.published.data_keys import DATA_KEYS, finish_data
from attex.config.published.draft import Draft
from attex.config.published.model_keys import MODEL_KEYS, finish_model
from attex.config.published.paths import occurrences, unspoken
from attex.config.published.training_keys import AS_ALLENNLP, TRAINING_KEYS, finish_training
from attex.foundations.errors import UserError

KEYS = (*DATA_KEYS, *TRAINING_KEYS, *MODEL_KEYS, *COMPARISON_KEYS)
"""Every key that is understood, in the order in which they are taken."""

_MARKS = ("dataset_reader", "train_data_path")
"""Keys that AllenNLP asks for and attex does not know."""


def is_published(value: Mapping[str, Any]) -> bool:
    """Say whether this is an experiment in AllenNLP's form."""
    return any(mark in value for mark in _MARKS)


def translated(value: Mapping[str, Any], origin: str) -> tuple[dict[str, Any], list[str]]:
    """Return the experiment as attex writes it, and a line for each key that has no counterpart.

    Raises:
        UserError: if something is asked for that attex does not have; a line for each.
    """
    draft = Draft(value)
    draft.fields = {
        "data": {},
        "vectors": None,
        "model": {"encoder": {}, "attention": {}},
        "trainer": copy.deepcopy(AS_ALLENNLP),
    }
    taken: set[tuple[str | int, ...]] = set()
    for key in KEYS:
        for path, found in occurrences(value, key.path):
            # AllenNLP takes null for a key that is not there.
            if found is not None and path not in taken:
                key.take(draft, dotted(path), found)
            taken.add(path)
    for path, found in unspoken(value, KEYS):
        draft.note(dotted(path), found, "attex has no counterpart")
    for finish in (finish_data, finish_training, finish_model, finish_comparison):
        finish(draft)
    if draft.problems:
        raise UserError("\n".join(f"{origin}: {problem}" for problem in draft.problems))
    return draft.fields, draft.notes
