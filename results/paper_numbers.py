"""The numbers of a paper's study beside the published ones, as the templates of pages ask for them."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from attex.analyses.quantity import OVERALL
from attex.claims.judging import Judgement, counts, from_results, judge_all, judged
from attex.claims.ledger import Cell, Claim, about
from attex.claims.numbers import BASE
from attex.claims.quantities import key_of
from attex.claims.verdict import CHANCE, Verdict
from results.by_seed import Aside, Seeds
from results.markdown import number, table

CELL = ("dataset", "encoder", "attention", "projection")
MARKS = {Verdict.REPRODUCED: "✓", Verdict.DIFFERS: "✗", Verdict.UNCERTAIN: "~"}
FAR = 0.1
"""How far two values of τ may be apart before one would tell a different story."""


class PaperNumbers:
    """What a template may ask: our numbers, the published ones, and what was said of both."""

    def __init__(
        self,
        name: str,
        folder: Path,
        tables: Sequence[str] = ("numbers",),
        judgements: Sequence[Judgement] | None = None,
    ) -> None:
        self.name, self.folder = name, folder / name
        rows = self._read(tables)
        self.models = rows.select(*CELL, "setting", "seed").n_unique()
        self.cells: list[Cell] = rows.select(CELL).unique(maintain_order=True).rows()
        named: list[str] = rows["setting"].unique(maintain_order=True).to_list()
        self.settings = sorted(named, key=lambda setting: setting != BASE)
        self._values = {
            key: Seeds(tuple(value for value in values if value is not None))
            for *key_parts, values in rows.group_by(*CELL, "setting", "quantity", "class")
            .agg("value")
            .rows()
            for key in [tuple(key_parts)]
        }
        self._rows = rows
        self._all = judge_all(from_results(folder)) if judgements is None else judgements
        self.judgements = [
            one for one in self._all if one.claim.paper == name and one.claim.cell in self.cells
        ]
        self.judged = judged(self.judgements)

    def _read(self, tables: Sequence[str]) -> pl.DataFrame:
        """Read tables of numbers as one; a model that several have counts once."""
        paths = [self.folder / f"{table}.csv" for table in tables]
        read = [pl.read_csv(path, infer_schema_length=None) for path in paths]
        about = [*CELL, "setting", "seed", "quantity", "class"]
        return pl.concat(read, how="vertical_relaxed").unique(about, keep="first", maintain_order=True)

    def further(self, tables: Sequence[str]) -> "PaperNumbers | None":
        """Read tables that lie beside the numbers as a study of their own; None if there is none yet."""
        there = [table for table in tables if (self.folder / f"{table}.csv").exists()]
        if not there:
            return None
        return PaperNumbers(self.name, self.folder.parent, there, self._all)

    def models_on(self, dataset: str) -> int:
        """Count the models that were trained on a dataset."""
        of_data = self._rows.filter(pl.col("dataset") == dataset)
        return of_data.select(*CELL, "setting", "seed").n_unique()

    def by_seed(self, cell: Cell, quantity: str) -> dict[int, float]:
        """Return a number of ours over all texts, as published, seed by seed."""
        some = self._rows.filter(
            *(pl.col(name) == value for name, value in zip(CELL, cell, strict=True)),
            pl.col("setting") == BASE,
            pl.col("quantity") == quantity,
            pl.col("class") == OVERALL,
        )
        return dict(sorted(some.select("seed", "value").rows()))

    def beside(self, setting: str, columns: Mapping[str, str]) -> str:
        """Lay out, for every model that was trained in both, ours as published and under a swap."""
        rows = []
        for cell in self.cells:
            both = [(self.seeds(cell, q), self.seeds(cell, q, setting)) for q in columns.values()]
            if any(before.values and after.values for before, after in both):
                rows.append([*cell[:3], *(str(part) for pair in both for part in pair)])
        heads = [f"{column}, {name}" for column in columns for name in (BASE, setting)]
        return table([*CELL[:3], *heads], rows) if rows else "No model has been trained in both."

    def seeds(self, cell: Cell, quantity: str, setting: str = BASE, class_: str = OVERALL) -> Seeds:
        """Return a number of ours, of every seed."""
        return self._values.get((*cell, setting, quantity, class_), Seeds(()))

    def published(self, cell: Cell, quantity: str, class_: str = OVERALL) -> float | None:
        """Return the published number that ours is about, if there is one."""
        claims = about(cell, quantity, class_)
        return next((claim.mean for claim in claims if claim.paper == self.name), None)

    def counts(self) -> dict[str, int]:
        """Count the verdicts on what ours stand beside."""
        return {verdict.name.lower(): count for verdict, count in counts(self.judged).items()}

    def expected(self) -> float:
        """How many would differ by chance, were everything the same."""
        return CHANCE * len(self.judged)

    def differing(self) -> list[Judgement]:
        """Return what differs."""
        return [one for one in self.judged if one.verdict is Verdict.DIFFERS]

    def with_cause(self) -> int:
        """Count those that differ for which a swap that was run says why."""
        return sum(one.cause is not None for one in self.differing())

    def values_far_off(self, pairs: Sequence[str], dataset: str | None = None) -> list[dict[str, Any]]:
        """Return, by setting, how many of the published values over all texts are off by more than 0.1.

        Of one dataset, or of all; only values that every setting has a number beside are counted.
        """
        known = [
            (place, value, [self.seeds(place[0], place[1], setting).mean for setting in self.settings])
            for place, value in self._published(pairs)
            if dataset in (None, place[0][0])
        ]
        whole = [(value, ours) for _, value, ours in known if not any(map(math.isnan, ours))]
        rows = []
        for at, setting in enumerate(self.settings):
            gaps = np.array([abs(ours[at] - value) for value, ours in whole])
            row = {"setting": setting, "values": len(gaps), "far": int((gaps > FAR).sum())}
            rows.append(row | {"median": float(np.median(gaps)) if len(gaps) else math.nan})
        return rows

    def moved_away(self, pairs: Sequence[str], start: str, end: str = BASE) -> list[dict[str, Any]]:
        """Return values near the published one in a setting and more than 0.1 off in another."""
        rows = []
        for (cell, quantity), value in self._published(pairs):
            before, after = (self.seeds(cell, quantity, setting) for setting in (start, end))
            if abs(before.mean - value) <= FAR < abs(after.mean - value):
                rows.append(
                    dict(zip(CELL, cell, strict=True))
                    | {"quantity": quantity, "published": value, "before": before, "after": after}
                )
        return rows

    def _published(self, pairs: Sequence[str]) -> list[tuple[tuple[Cell, str], float]]:
        found = [((c, q), self.published(c, q)) for c in self.cells for q in pairs]
        return [(place, value) for place, value in found if value is not None]

    def grid(self, columns: Mapping[str, str]) -> str:
        """Lay out one row a model: ours and the published value of the quantity under each head."""
        verdicts = {
            (one.claim.cell, one.claim.key): MARKS[one.verdict]
            for one in self.judged
            if one.claim.class_ == OVERALL
        }
        rows = []
        for cell in self.cells:
            row = [*cell]
            for quantity in columns.values():
                value = self.published(cell, quantity)
                sign = verdicts.get((cell, key_of(quantity)), "")
                row += [str(self.seeds(cell, quantity)), f"{number(value)} {sign}".strip()]
            rows.append(row)
        heads = [head for column in columns for head in (column, "published")]
        shown = [at for at, _ in enumerate(heads) if any(row[len(CELL) + at] != "–" for row in rows)]
        keep = [*range(len(CELL)), *(len(CELL) + at for at in shown)]
        return table([[*CELL, *heads][at] for at in keep], [[row[at] for at in keep] for row in rows])

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
            (one.cause.before, one.cause.after, one.cause.kind)
            for one in self.differing()
            if one.cause is not None
        )
        swaps = dict.fromkeys((before, after) for before, after, _ in kinds)
        rows = [
            [
                f"{before} → {after}",
                *(str(kinds[before, after, k]) for k in ("explains", "between", "in part")),
            ]
            for before, after in sorted(
                swaps, key=lambda s: -sum(kinds[*s, k] for k in ("explains", "between"))
            )
        ]
        return table(["swapped", "explains", "the published lies between", "in part"], rows)

    def differences(self) -> str:
        """Lay out what differs over all texts, with the swap that says most."""
        rows = []
        for one in self.differing():
            if one.claim.class_ != OVERALL or one.ours is None:
                continue
            ours = f"{number(one.ours.mean)} [{number(one.ours.low)}, {number(one.ours.high)}]"
            said = "none of the swaps"
            if one.cause is not None:
                said = f"{one.cause.after}: {number(one.cause.gives.mean)} ({one.cause.kind})"
            rows.append(
                [" ".join(one.claim.cell), one.claim.quantity, number(one.claim.mean), ours, said]
            )
        return table(["model", "quantity", "published", "ours [another model]", "swap"], rows)


SHOWN = frozenset(["median_output_change", "jsd_max(exact, 0.01)"])
"""What pages show that no paper has published."""


def kept(rows: Iterable[Mapping[str, Any]], claims: Sequence[Claim]) -> list[Mapping[str, Any]]:
    """Keep the numbers that some paper has published, and over all texts those that a page shows.

    Those of single classes are kept where some paper tells these classes apart, and what is undefined
    where some paper has a number.
    """
    keys = {claim.key for claim in claims}
    parted = {(claim.dataset, claim.class_) for claim in claims}
    known = {(claim.dataset, claim.key) for claim in claims}

    def is_kept(row: Mapping[str, Any]) -> bool:
        key, data = key_of(row["quantity"]), row["dataset"]
        if row["class"] != OVERALL and (data, row["class"]) not in parted:
            return False
        if math.isnan(row["value"]) and (data, key) not in known:
            return False
        return key in keys or (row["quantity"] in SHOWN and row["class"] == OVERALL)

    return [row for row in rows if is_kept(row)]
