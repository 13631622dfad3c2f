"""Texts with words that attention was trained to hide: the tasks of Pruthi et al. (2020)."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from attex.data.folder import DataFolder, open_text
from attex.data.left_out import LeftOut
from attex.data.reader import READERS, SPLITS, Document, Reader
from attex.data.split_list import drawn_split
from attex.foundations.errors import UserError, brief
from attex.foundations.registry import LATER

_FOLDERS = {"pronoun": "pronoun", "sst-wiki": "sst-wiki", "occupation": "occupation-classification"}
_CLASSES = {
    "pronoun": {"F": "she", "M": "he"},
    "sst-wiki": {"0": "negative", "1": "positive"},
    "occupation": {"0": "0", "1": "1"},
}
_PRONOUNS = frozenset(["he", "she", "her", "his", "him", "himself", "herself"])
_IMPERMISSIBLE = {
    "pronoun": _PRONOUNS,
    "occupation": _PRONOUNS | {"hers", "mr", "mr.", "mrs", "mrs.", "ms", "ms."},
}
"""The words that attention is to be kept from, where they are known without a file of marks."""
_DEV_SHARE, _TEST_SHARE = 10, 20
"""Per cent of the texts, as in the published files of occupation."""
_MARKS = ("0", "1")


@READERS.register("deceptive", cite="Pruthi et al. 2020", version=2)
@dataclass(frozen=True, kw_only=True)
class Deceptive(Reader):
    """Texts with impermissible words: those that attention is to be kept from.

    `task` is `pronoun`, sentences about a woman or a man, told by their pronouns; `sst-wiki`, an SST
    sentence, which decides, before one of Wikipedia, which says nothing; or `occupation`, biographies
    of two medical professions, where words about gender are impermissible. In the first two these words
    decide, and are the truth as well. Files `deceptive/<task>/{train,dev,test}.txt` with lines
    `label<TAB>text`; beside those of sst-wiki `.block` with a 0 or 1 for each word. Lower-cased, cut at
    white space. The training texts of occupation are not to be had: `resplit` deals those of dev and
    test out anew, 70, 10 and 20 per cent by a hash of their names. With `removed`, all texts come
    without their impermissible words; one that has no other is left out.
    """

    task: Literal["pronoun", "sst-wiki", "occupation"] = "sst-wiki"
    resplit: bool = False
    removed: Annotated[bool, LATER] = False

    publisher: ClassVar[str] = "github.com/danishpruthi/deceptive-attention"

    def called(self) -> str:
        """Name the task, whose texts have nothing to do with those of another, or dealt out anew."""
        task = f"{self.task} dealt out anew" if self.resplit else self.task
        return f"{task} without impermissible tokens" if self.removed else task

    def class_names(self) -> tuple[str, ...]:
        """Name the two classes of the task."""
        return tuple(_CLASSES[self.task].values())

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the texts of the splits that are read and, for sst-wiki, their marks."""
        names = [f"deceptive/{_FOLDERS[self.task]}/{split}.txt" for split in self._read()]
        names += [f"{name}.block" for name in names] if self.task == "sst-wiki" else []
        return [folder.find(name, publisher=self.publisher) for name in names]

    def tokens(self, text: str) -> list[str]:
        """Cut a text at white space, as all of them are."""
        return text.lower().split()

    def documents(self, folder: DataFolder) -> Iterator[Document | LeftOut]:
        """Read every line, with its marks."""
        paths = self.files(folder)
        for place, split in enumerate(self._read()):
            lines = _lines(paths[place])
            blocks = _lines(paths[place + len(self._read())]) if self.task == "sst-wiki" else lines
            for number, (line, block) in enumerate(zip_longest(lines, blocks, fillvalue=""), 1):
                yield self._document(line, block, split, number, f"{paths[place]} line {number}")

    def _read(self) -> tuple[str, ...]:
        """Name the splits whose files are read."""
        return SPLITS[1:] if self.resplit else SPLITS

    def _document(
        self, line: str, block: str, split: str, number: int, where: str
    ) -> Document | LeftOut:
        label, tab, text = line.partition("\t")
        tokens, classes = self.tokens(text), _CLASSES[self.task]
        if not tab or label not in classes or not tokens:
            raise UserError(f"{where} is not a label ({', '.join(classes)}), a tab and a text")
        if self.task in _IMPERMISSIBLE:
            marked = [token in _IMPERMISSIBLE[self.task] for token in tokens]
        else:
            marks = block.split()
            if len(marks) != len(tokens) or not {*marks} <= {*_MARKS}:
                raise UserError(
                    f"{where}: its marks, '{brief(block, 40)}', are not {len(tokens)} of 0 or 1"
                )
            marked = [mark == "1" for mark in marks]
        name = f"{self.task}/{split}/{number}"
        if self.resplit:
            split = drawn_split(name, dev=_DEV_SHARE, test=_TEST_SHARE)
        if self.removed:
            tokens = [token for token, mark in zip(tokens, marked, strict=True) if not mark]
            if not tokens:
                return LeftOut(name, "every word is impermissible", asked=True)
            return Document(name, split, tokens, classes[label], None)
        # What is said of gender does not decide who is a surgeon.
        truth = None if self.task == "occupation" else marked
        return Document(name, split, tokens, classes[label], truth, impermissible=marked)


def _lines(path: Path) -> list[str]:
    with open_text(path) as file:
        return [line.rstrip("\r\n") for line in file]
