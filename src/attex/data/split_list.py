"""Which text belongs to which split: by a published list, or by a hash where there is none."""

from collections.abc import Container, Iterable
from dataclasses import replace
from importlib import resources
from pathlib import Path

from attex.data.folder import open_text
from attex.data.reader import SPLITS, Document
from attex.data.split import stable_id
from attex.foundations.errors import UserError


def published_split(name: str) -> dict[str, str]:
    """Return text → split of a list shipped with attex: train, dev, test, by name in each."""
    listed = resources.files("attex.data") / "splits" / f"{name}.csv.gz"
    with resources.as_file(listed) as path, open_text(path) as file:
        next(file)
        pairs = dict(line.rstrip("\n").split(",") for line in file)
    order = {split: rank for rank, split in enumerate(SPLITS)}
    return dict(sorted(pairs.items(), key=lambda pair: (order[pair[1]], pair[0])))


def require_all(split: dict[str, str], present: Container[str], place: Path, what: str) -> None:
    """Raise unless every text of a split list was found."""
    absent = [name for name in split if name not in present]
    if absent:
        raise UserError(
            f"{place} lacks {len(absent)} of the {len(split)} {what} of the split, {absent[0]} the "
            "first of them; is the archive complete?"
        )


def drawn_split(key: str, *, dev: int, test: int = 0) -> str:
    """Draw a split, `dev` and `test` per cent of the time, by a hash: the same key, the same split."""
    draw = stable_id(f"split/{key}") % 100
    return "test" if draw < test else "dev" if draw < test + dev else "train"


def with_every_class(
    documents: Iterable[Document], shortest: int, longest: int | None
) -> list[Document]:
    """Have every class in every split, where splits were drawn and the class has texts enough.

    A split that lacks a class gets the first text of it from the split that has the most. Texts that
    are too short or too long count for nothing here, and stay where they are.
    """
    settled = list(documents)
    places: dict[str, dict[str, list[int]]] = {}
    for place, document in enumerate(settled):
        if shortest <= len(document.tokens) and (longest is None or len(document.tokens) <= longest):
            of_class = places.setdefault(document.label, {split: [] for split in SPLITS})
            of_class[document.split].append(place)
    for of_class in places.values():
        if sum(map(len, of_class.values())) < len(SPLITS):
            continue
        for split in SPLITS:
            if not of_class[split]:
                most = max(SPLITS, key=lambda name: len(of_class[name]))
                place = of_class[most].pop(0)
                of_class[split].append(place)
                settled[place] = replace(settled[place], split=split)
    return settled
