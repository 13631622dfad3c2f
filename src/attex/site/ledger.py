"""The ledger as rows of a page: every published number with its verdict, and what answers it."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attex.claims.answers import command_for
from attex.claims.judging import Judgement, from_runs, judge_all
from attex.claims.ledger import PAPERS
from attex.claims.page import interval_words

COLUMNS = (
    *("claim", "paper", "location", "model", "quantity", "class", "published"),
    *("ours", "verdict", "answer", "experiment"),
)


def ledger_rows(folders: Mapping[str, Path]) -> list[list[Any]]:
    """Judge every number of the ledger by runs, and write each as a row of `COLUMNS`.

    `answer` is a command, or the reason why there is none; `experiment` the one that it was judged by.
    """
    return [_row(one) for one in judge_all(from_runs(folders))]


def _row(one: Judgement) -> list[Any]:
    claim = one.claim
    return [
        claim.claim,
        PAPERS[claim.paper],
        claim.location,
        " ".join(filter(None, claim.cell)),
        claim.quantity,
        claim.class_,
        None if math.isnan(claim.mean) else claim.mean,
        "" if one.ours is None else interval_words(one.ours),
        str(one.verdict),
        command_for(claim) or one.reason,
        one.setting,
    ]
