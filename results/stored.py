"""An answer of a study as it is stored: what is said of each cell, and what the page has once."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class OfCell:
    """What is said of a cell, and how many models of those that are asked for it rests on.

    `numbers` are the names that its models have in the table of numbers, `sentences` go by the title of
    their part, and `figures` are the names of its files. `keys`, with spaces between them, say what its
    models were made of, where that is known.
    """

    cell: str
    models: int
    asked: int
    numbers: Sequence[str] = ()
    sentences: Mapping[str, Sequence[str]] = field(default_factory=dict)
    figures: Sequence[str] = ()
    keys: str = ""

    def is_asked_for(self, keys: Collection[str] | None) -> bool:
        """Say whether a study still asks for the very models that this rests on, as far as known."""
        return keys is None or {*self.keys.split()} <= {*keys}


@dataclass(frozen=True)
class OfPart:
    """What a part of the answer has once: title, explanation, and the figures in their order."""

    title: str
    explanation: str
    figures: Mapping[str, str]
    """By the name of the file, what is written below it."""


@dataclass(frozen=True)
class Stored:
    """The answer of a study: cells in the order of the study file, also those without a model."""

    cells: Sequence[OfCell] = ()
    parts: Sequence[OfPart] = ()

    @classmethod
    def read(cls, folder: Path, study: str) -> "Stored":
        """Read what is stored of a study; nothing is, where it was not trained."""
        path = _path(folder, study)
        if not path.exists():
            return cls()
        facts = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            [OfCell(**cell) for cell in facts["cells"]], [OfPart(**part) for part in facts["parts"]]
        )

    def write(self, folder: Path, study: str) -> None:
        """Write it as JSON."""
        text = json.dumps(asdict(self), indent=2, ensure_ascii=False)
        _path(folder, study).write_text(text + "\n", encoding="utf-8")

    @property
    def models(self) -> int:
        """How many models it rests on; one that cells share counts in each."""
        return sum(cell.models for cell in self.cells)

    @property
    def asked(self) -> int:
        """How many models the study asks for."""
        return sum(cell.asked for cell in self.cells)

    def sentences(self, part: OfPart) -> list[str]:
        """Return the sentences of a part, cell after cell."""
        return [said for cell in self.cells for said in cell.sentences.get(part.title, ())]


def _path(folder: Path, study: str) -> Path:
    return folder / f"{study}.json"
