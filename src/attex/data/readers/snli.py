"""Does one sentence follow from another? The Stanford natural language inference corpus."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from attex.data.cleaning import jain_wallace_words
from attex.data.folder import DataFolder, open_text
from attex.data.left_out import LeftOut, beginning
from attex.data.reader import READERS, SPLITS, Count, Document, Reader
from attex.foundations.errors import UserError
from attex.foundations.json_text import NotJSON, parse_json

_FIELDS = ("gold_label", "sentence1", "sentence2")
_NO_LABEL = "-"


@READERS.register("snli", cite="Bowman et al. 2015")
@dataclass(frozen=True, kw_only=True)
class SNLI(Reader):
    """Pairs of sentences: the second follows from the first, contradicts it, or neither.

    The first, the premise, is what attention rests on; the second, the hypothesis, is the query. From
    `snli_1.0_{train,dev,test}.jsonl`, objects with gold_label, sentence1 and sentence2. A pair whose
    annotators did not agree (gold_label "-") is left out and counted. Lower-cased, tokens with a
    digit masked as "qqq", punctuation marks tokens of their own.
    """

    min_frequency: Count = 3

    publisher: ClassVar[str] = "nlp.stanford.edu/projects/snli"
    classes: ClassVar[tuple[str, ...]] = ("contradiction", "entailment", "neutral")

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the pairs of the three splits."""
        names = [f"snli_1.0_{split}.jsonl" for split in SPLITS]
        return [
            folder.find(f"snli/{name}", f"snli/snli_1.0/{name}", publisher=self.publisher)
            for name in names
        ]

    def documents(self, folder: DataFolder) -> Iterator[Document | LeftOut]:
        """Read every pair."""
        for split, path in zip(SPLITS, self.files(folder), strict=True):
            with open_text(path) as file:
                for number, line in enumerate(file, 1):
                    yield self._pair(line, split, number, f"{path} line {number}")

    def _pair(self, line: str, split: str, number: int, where: str) -> Document | LeftOut:
        label, premise, hypothesis = _fields(line, where)
        name = f"{split}/{number}"
        if label == _NO_LABEL:
            reason = "the annotators did not agree on a label"
            return LeftOut(name, reason, begins=beginning(premise), asked=True)
        if label not in self.classes:
            raise UserError(f"{where}: gold_label is none of {', '.join(self.classes)} or {_NO_LABEL}")
        tokens, query = jain_wallace_words(premise), jain_wallace_words(hypothesis)
        if not tokens or not query:
            missing = "hypothesis" if tokens else "premise"
            return LeftOut(name, f"the {missing} has no token", begins=beginning(premise))
        return Document(name, split, tokens, label, query=query)


def _fields(line: str, where: str) -> list[str]:
    try:
        row: Any = parse_json(line)
    except NotJSON as error:
        raise UserError(f"{where} is not JSON: {error}") from error
    values = [row.get(field) for field in _FIELDS] if isinstance(row, dict) else []
    found = [value for value in values if isinstance(value, str)]
    if len(found) < len(_FIELDS):
        raise UserError(f"{where} is not an object with the texts {', '.join(_FIELDS)}")
    return found
