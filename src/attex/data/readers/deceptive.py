"""Texts with words that attention was trained to hide: the tasks of Pruthi et al. (2020)."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import ClassVar, Literal

from attex.data.folder import DataFolder, open_text
from attex.data.reader import READERS, SPLITS, Document, Reader
from attex.foundations.errors import UserError, brief

_FOLDERS = {"pronoun": "pronoun", "sst-wiki": "sst-wiki", "occupation": "occupation-classification"}
_CLASSES = {
    "pronoun": {"F": "she", "M": "he"},
    "sst-wiki": {"0": "negative", "1": "positive"},
    "occupation": {"0": "0", "1": "1"},
}
_PRONOUNS = frozenset(["he", "she", "her", "his", "him", "himself", "herself"])
_MARKS = ("0", "1")


@READERS.register("deceptive", cite="Pruthi et al. 2020")
@dataclass(frozen=True, kw_only=True)
class Deceptive(Reader):
    """Texts in which it is marked what decides: the words that attention is to be kept from.

    `task` is `pronoun`, sentences about a woman or a man, told by their pronouns; `sst-wiki`, an SST
    sentence, which decides, before one of Wikipedia, which says nothing; or `occupation`, biographies
    of two medical professions, whose words about gender are no truth and so are not marked here.
    Files `deceptive/<task>/{train,dev,test}.txt` with lines `label<TAB>text`, and beside them
    `.block` with a 0 or 1 for each word (pronouns are known without). Lower-cased, cut at white space.
    """

    task: Literal["pronoun", "sst-wiki", "occupation"] = "sst-wiki"

    publisher: ClassVar[str] = "github.com/danishpruthi/deceptive-attention"

    def called(self) -> str:
        """Name the task: its texts have nothing to do with those of another."""
        return self.task

    def class_names(self) -> tuple[str, ...]:
        """Name the two classes of the task."""
        return tuple(_CLASSES[self.task].values())

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the texts of the three splits and, for sst-wiki, their marks."""
        names = [f"deceptive/{_FOLDERS[self.task]}/{split}.txt" for split in SPLITS]
        names += [f"{name}.block" for name in names] if self.task == "sst-wiki" else []
        return [folder.find(name, publisher=self.publisher) for name in names]

    def tokens(self, text: str) -> list[str]:
        """Cut a text at white space, as all of them are."""
        return text.lower().split()

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Read every line, with its marks."""
        paths = self.files(folder)
        for place, split in enumerate(SPLITS):
            lines = _lines(paths[place])
            blocks = _lines(paths[place + len(SPLITS)]) if self.task == "sst-wiki" else lines
            for number, (line, block) in enumerate(zip_longest(lines, blocks, fillvalue=""), 1):
                yield self._document(line, block, split, number, f"{paths[place]} line {number}")

    def _document(self, line: str, block: str, split: str, number: int, where: str) -> Document:
        label, tab, text = line.partition("\t")
        tokens, classes = self.tokens(text), _CLASSES[self.task]
        if not tab or label not in classes or not tokens:
            raise UserError(f"{where} is not a label ({', '.join(classes)}), a tab and a text")
        truth = None
        if self.task == "pronoun":
            truth = [token in _PRONOUNS for token in tokens]
        elif self.task == "sst-wiki":
            marks = block.split()
            if len(marks) != len(tokens) or not {*marks} <= {*_MARKS}:
                raise UserError(
                    f"{where}: its marks, '{brief(block, 40)}', are not {len(tokens)} of 0 or 1"
                )
            truth = [mark == "1" for mark in marks]
        return Document(f"{self.task}/{split}/{number}", split, tokens, classes[label], truth)


def _lines(path: Path) -> list[str]:
    with open_text(path) as file:
        return [line.rstrip("\r\n") for line in file]
