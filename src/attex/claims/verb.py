"""What `attex claims` does: verdicts from the results of a checkout, or from a user's own runs."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attex.claims.judging import Judgement, from_results, from_runs, judge_all, judged
from attex.claims.ledger import PAPERS, RECALLED
from attex.claims.page import (
    at_hand_sentence,
    chance_sentence,
    interval_words,
    stale,
    why_words,
    write,
)
from attex.claims.verdict import Verdict
from attex.foundations.errors import UserError

_PACKAGE = Path(__file__).parents[1]
PAGE = "claims"
"""The folder in `results/` that the page is in."""


def results_folder() -> Path:
    """Return the folder of results beside the source of a checkout."""
    folder = _PACKAGE.parents[1] / "results"
    if not (folder.is_dir() and (folder.parent / "pyproject.toml").exists()):
        raise UserError(
            "the tables in results/ lie in a checkout of attex: run there, or give --runs DIR"
        )
    return folder


def known_paper(name: str | None) -> None:
    """Refuse a paper that the ledger does not have."""
    if name is not None and name not in PAPERS:
        raise UserError(f"--paper {name}: the ledger has {', '.join(PAPERS)}")


def of_results(folder: Path, paper: str | None = None) -> Iterator[str]:
    """Judge by the tables of a folder of results, write the page, and say what came of it."""
    judgements = judge_all(from_results(folder))
    written = write(judgements, folder / PAGE)
    yield from lines(_of(paper, judgements), every=paper is not None)
    yield f"written: {' and '.join(map(str, written))}"


def check(folder: Path) -> str | None:
    """Return what is wrong with the page, in one line; None if it says what the tables say."""
    path = stale(judge_all(from_results(folder)), folder / PAGE)
    return (
        None
        if path is None
        else f"{path} is stale: the numbers in {folder} say otherwise; run attex claims"
    )


def of_runs(folders: Mapping[str, Path], target: Path, paper: str | None = None) -> Iterator[str]:
    """Judge by the newest run of each experiment, and write page and table into the output folder."""
    if not folders:
        raise UserError(f"no finished run in {target}")
    judgements = judge_all(from_runs(folders))
    written = write(judgements, target / PAGE, own=True)
    yield from lines(_of(paper, judgements), every=True)
    yield f"written: {' and '.join(map(str, written))}"


def _of(paper: str | None, judgements: Sequence[Judgement]) -> list[Judgement]:
    return [one for one in judgements if paper in (None, one.claim.paper)]


def lines(judgements: Sequence[Judgement], every: bool) -> Iterator[str]:
    """Say how many there are of each verdict, then each number that differs, or that was judged."""
    width = max(len(name) for name in PAPERS)
    yield f"{'':{width}}" + "".join(f"  {verdict}" for verdict in Verdict)
    for paper in PAPERS:
        some = [one.verdict for one in judgements if one.claim.paper == paper]
        if some:
            cells = "".join(f"  {some.count(verdict):{len(verdict)}}" for verdict in Verdict)
            yield f"{paper:{width}}{cells}"
    yield at_hand_sentence(judgements)
    yield chance_sentence(judgements)
    for one in judged(judgements):
        if every or one.verdict is Verdict.DIFFERS:
            yield _line(one)


def _line(one: Judgement) -> str:
    claim, ours = one.claim, one.ours
    assert ours is not None
    about = " ".join(filter(None, (*claim.cell, claim.quantity, claim.class_)))
    memory = " (from memory)" if claim.source == RECALLED else ""
    numbers = f"published {claim.mean:g}{memory}, ours {interval_words(ours)}"
    why = f"; {why_words(one)}" if one.why else ""
    return f"  {claim.claim}  {one.verdict}  {about}: {numbers}{why}"
