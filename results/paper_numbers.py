"""The numbers of a paper's study beside the published ones, as the templates of pages ask for them."""

import functools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from attex.analyses.quantity import OVERALL
from attex.claims.causes import BETWEEN, EXPLAINS, IN_PART, SIZE
from attex.claims.judging import (
    ANSWERED_BY,
    BESIDE,
    Judgement,
    counts,
    from_results,
    judge_all,
    judged,
)
from attex.claims.ledger import PAPERS, Cell, Claim
from attex.claims.numbers import BASE
from attex.claims.quantities import key_of
from attex.claims.verdict import CHANCE, Verdict
from results.by_seed import Aside, Seeds
from results.changes import Change
from results.markdown import number, table
from results.study_numbers import CELL, StudyNumbers, further_table

MARKS = {Verdict.REPRODUCED: "✓", Verdict.DIFFERS: "✗", Verdict.UNCERTAIN: "~"}
CHANGE = ("quantity", "seeds", "before", "after", "change", "low", "high")
FAR = 0.1
"""How far two values of τ may be apart before one would tell a different story."""


class PaperNumbers(StudyNumbers):
    """What a template may ask: our numbers, the published ones, and what was said of both."""

    def __init__(
        self,
        name: str,
        folder: Path,
        studies: Sequence[str] = (),
        judgements: Sequence[Judgement] | None = None,
    ) -> None:
        self.name, self.folder = name, folder / name
        tables = ["numbers.csv" if s == name else f"numbers_{s}.csv" for s in studies or [name]]
        super().__init__([self.folder / table for table in tables], studies or [name])
        self._all = judge_all(from_results(folder)) if judgements is None else judgements
        # A folder has the numbers that it answers: those of its paper, and of others that did the same.
        papers = [p for p in PAPERS if ANSWERED_BY.get(p, (p,))[0] == name]
        beside = [] if studies else [one for one, (paper, _) in BESIDE.items() if paper == name]
        of_paper = [one for one in self._all if one.claim.paper in papers]
        self.judgements = [
            one
            for one in of_paper
            if one.study not in beside and (not studies or one.claim.cell in self.cells)
        ]
        self.judged = judged(self.judgements)
        self._claims = {
            (one.claim.cell, one.claim.key, one.claim.class_): one.claim for one in reversed(of_paper)
        }
        self._further: dict[str, StudyNumbers] = {}
        self._marks = {one.claim.claim: MARKS[one.verdict] for one in self.judged}

    def further(self, study: str) -> StudyNumbers:
        """Return the numbers of another study that the page shows, from a table beside the numbers."""
        if study not in self._further:
            path = self.folder / f"{further_table(study)}.csv"
            self._further[study] = StudyNumbers([path], [study])
        return self._further[study]

    def together(self, studies: Sequence[str]) -> "PaperNumbers":
        """Return the numbers of several studies as those of one, with what was published of them."""
        return PaperNumbers(self.name, self.folder.parent, studies, self._all)

    def by_seed(self, cell: Cell, quantity: str) -> dict[int, float]:
        """Return a number of ours over all texts, as published, seed by seed."""
        return self._by_seed.get((*cell, BASE, key_of(quantity), OVERALL), {})

    def beside(self, setting: str, columns: Mapping[str, str]) -> str:
        """Lay out, for every model that was trained in both, ours as published and under a swap."""
        rows = []
        for cell in self.cells:
            both = [(self.seeds(cell, q), self.seeds(cell, q, setting)) for q in columns.values()]
            if any(before.values and after.values for before, after in both):
                rows.append([*cell[:3], *(str(part) for pair in both for part in pair)])
        heads = [f"{column}, {name}" for column in columns for name in (BASE, setting)]
        return table([*CELL[:3], *heads], rows) if rows else "No model has been trained in both."

    def claim(self, cell: Cell, quantity: str, class_: str = OVERALL) -> Claim | None:
        """Return what the paper published about the same, if there is anything."""
        return self._claims.get((cell, key_of(quantity), class_))

    def published(self, cell: Cell, quantity: str, class_: str = OVERALL) -> float | None:
        """Return the published number that ours is about, if there is one."""
        claim = self.claim(cell, quantity, class_)
        return None if claim is None else claim.mean

    def marked(self, cell: Cell, quantity: str, class_: str = OVERALL) -> str:
        """Write the published number with the verdict on it."""
        claim = self.claim(cell, quantity, class_)
        return "–" if claim is None else self.mark(claim)

    def worded(self, cell: Cell, quantity: str, class_: str = OVERALL) -> str:
        """Write the published number with the verdict on it in words."""
        claim = self.claim(cell, quantity, class_)
        if claim is None:
            return "–"
        (verdict,) = (one.verdict for one in self.judgements if one.claim == claim)
        return f"{number(claim.mean)}, {verdict}"

    def mark(self, claim: Claim) -> str:
        """Write what was claimed with the verdict on it."""
        return f"{number(claim.mean)} {self._marks.get(claim.claim, '')}".strip()

    def notes(self, word: str) -> list[str]:
        """Return the ledger's notes on published numbers that have a word, with what they are on."""
        return [
            f"{' '.join(one.claim.cell)}, {one.claim.quantity}: {one.claim.note}"
            for one in self.judgements
            if word in one.claim.note
        ]

    def counts(self) -> dict[str, int]:
        """Count the verdicts on what ours stand beside."""
        return {verdict.name.lower(): count for verdict, count in counts(self.judged).items()}

    def expected(self, of: Sequence[Judgement] | None = None) -> float:
        """How many of all that was judged, or of some, would differ by chance, were all the same."""
        return CHANCE * len(self.judged if of is None else of)

    def differing(self) -> list[Judgement]:
        """Return what differs."""
        return [one for one in self.judged if one.verdict is Verdict.DIFFERS]

    def with_cause(self) -> int:
        """Count those that differ for which a swap that was run says why."""
        return sum(one.cause is not None for one in self.differing())

    def values_far_off(
        self,
        pairs: Sequence[str],
        dataset: str | None = None,
        classes: Sequence[str] = (OVERALL,),
    ) -> list[dict[str, Any]]:
        """Return, by setting, how many of the published values are off by more than 0.1.

        Of one dataset, or of all; only values that every setting has a number beside are counted.
        """
        known = [
            (value, [self.seeds(cell, quantity, setting, class_).mean for setting in self.settings])
            for (cell, quantity, class_), value in self._published(pairs, classes)
            if dataset in (None, cell[0])
        ]
        whole = [(value, ours) for value, ours in known if not any(map(math.isnan, ours))]
        rows = []
        for at, setting in enumerate(self.settings):
            gaps = np.array([abs(ours[at] - value) for value, ours in whole])
            row = {"setting": setting, "values": len(gaps), "far": int((gaps > FAR).sum())}
            rows.append(row | {"median": float(np.median(gaps)) if len(gaps) else math.nan})
        return rows

    def moved_away(self, pairs: Sequence[str], start: str, end: str = BASE) -> list[dict[str, Any]]:
        """Return values near the published one in a setting and more than 0.1 off in another."""
        rows = []
        for (cell, quantity, _), value in self._published(pairs, (OVERALL,)):
            before, after = (self.seeds(cell, quantity, setting) for setting in (start, end))
            if abs(before.mean - value) <= FAR < abs(after.mean - value):
                rows.append(
                    dict(zip(CELL, cell, strict=True))
                    | {"quantity": quantity, "published": value, "before": before, "after": after}
                )
        return rows

    def _published(
        self, pairs: Sequence[str], classes: Sequence[str]
    ) -> list[tuple[tuple[Cell, str, str], float]]:
        places = [(c, q, class_) for c in self.cells for q in pairs for class_ in classes]
        found = [(place, self.published(*place)) for place in places]
        return [(place, value) for place, value in found if value is not None]

    def grid(self, columns: Mapping[str, str], cells: Sequence[Cell] | None = None) -> str:
        """Lay out one row a model: ours and the published value of the quantity under each head."""
        rows = []
        for cell in self.cells if cells is None else cells:
            row = [*cell]
            for quantity in columns.values():
                row += [str(self.seeds(cell, quantity)), self.marked(cell, quantity)]
            rows.append(row)
        heads = [head for column in columns for head in (column, "published")]
        shown = [at for at, _ in enumerate(heads) if any(row[len(CELL) + at] != "–" for row in rows)]
        keep = [*range(len(CELL)), *(len(CELL) + at for at in shown)]
        return table([[*CELL, *heads][at] for at in keep], [[row[at] for at in keep] for row in rows])

    def changes(self, quantity: str, projection: str) -> list[Change]:
        """Return how a quantity changes from softmax to a projection, one entry a model."""
        return [one for one in self._changes if (one.quantity, one.cell[-1]) == (quantity, projection)]

    @functools.cached_property
    def _changes(self) -> list[Change]:
        rows = pl.read_csv(self.folder / "changes.csv").filter(pl.col("setting") == BASE)
        return [
            Change(tuple(row[name] for name in CELL), **{name: row[name] for name in CHANGE})
            for row in rows.to_dicts()
        ]

    def aside(self, name: str, quantities: Sequence[str]) -> Aside:
        """Read a further study of one of the models, from a table beside the numbers."""
        rows = pl.read_csv(self.folder / f"{name}.csv", infer_schema_length=0)
        (cell,) = rows.select(CELL).unique().rows()
        choices = tuple(rows.columns[len(CELL) : rows.columns.index("seed")])
        known = {quantity: self.published(cell, quantity) for quantity in quantities}
        by_setting: dict[tuple[str, ...], dict[str, Seeds]] = {}
        some = rows.filter(pl.col("class") == OVERALL, pl.col("quantity").is_in(quantities))
        for *levels, quantity, values in (
            some.group_by(*choices, "quantity", maintain_order=True)
            .agg(pl.col("value").cast(float))
            .rows()
        ):
            by_setting.setdefault(tuple(levels), {})[quantity] = Seeds(tuple(values))
        return Aside(choices, {q: v for q, v in known.items() if v is not None}, by_setting)

    def causes(self) -> str:
        """Count, by the swapped ingredient, how many differences it explains, overshoots or narrows."""
        kinds = Counter(
            (one.cause.swap, one.cause.kind) for one in self.differing() if one.cause is not None
        )
        shown = {
            EXPLAINS: "explains",
            BETWEEN: "the published lies between",
            SIZE: "fewer texts lead away",
            IN_PART: "in part",
        }
        shown = {kind: head for kind, head in shown.items() if any(k == kind for _, k in kinds)}
        swaps = sorted(
            dict.fromkeys(swap for swap, _ in kinds),
            key=lambda swap: -sum(kinds[swap, kind] for kind in (EXPLAINS, BETWEEN, SIZE)),
        )
        rows = [[swap, *(str(kinds[swap, kind]) for kind in shown)] for swap in swaps]
        return table(["swapped", *shown.values()], rows)

    def differences(self, classes: Sequence[str] = (OVERALL,)) -> str:
        """Lay out what differs over all texts, or of classes, with the swap that says most."""
        rows = []
        for one in self.differing():
            if one.claim.class_ not in classes or one.ours is None:
                continue
            of_class = "" if one.claim.class_ == OVERALL else f", {one.claim.class_}"
            ours = f"{number(one.ours.mean)} [{number(one.ours.low)}, {number(one.ours.high)}]"
            said = f"{one.why}; swaps tried: {len(one.tried)}" if one.tried else one.why
            if one.cause is not None:
                said = f"{one.cause.taken}: {number(one.cause.gives.mean)} ({one.cause.kind})"
            rows.append(
                [
                    " ".join(one.claim.cell),
                    f"{one.claim.quantity}{of_class}",
                    number(one.claim.mean),
                    ours,
                    said,
                ]
            )
        return table(["model", "quantity", "published", "ours [another model]", "swap"], rows)
