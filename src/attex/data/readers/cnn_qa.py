"""Questions about news: which entity was taken out of a sentence that sums the article up?"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import ClassVar

from attex.data.folder import DataFolder, damage_named, open_text
from attex.data.left_out import LeftOut, beginning
from attex.data.reader import READERS, SPLITS, Count, Document, Reader
from attex.foundations.errors import UserError

_ENTITY = "@entity"
_FOLDERS = {"train": "training", "dev": "validation", "test": "test"}


@dataclass(frozen=True)
class _Question:
    name: str
    where: str
    passage: list[str]
    words: list[str]
    answer: str


@READERS.register("cnn_qa", cite="Hermann et al. 2015")
@dataclass(frozen=True, kw_only=True)
class CNNQuestions(Reader):
    """Articles whose entities have numbers for names, each with a sentence that lacks one of them.

    The sentence is the query, the entities of its article are the candidates, and all entities of the
    training articles are the classes. Either `cnn_qa/{train,dev,test}.txt`, records of three lines
    (question, answer, article) with blank lines between, which Jain & Wallace read; or the original
    `cnn_qa/questions/{training,validation,test}/*.question` (address, article, question, answer and
    names, with blank lines between). Cut at white space. A question whose answer is not in its
    article, or is no entity of the training articles, is left out and counted.
    """

    min_frequency: Count = 8

    publisher: ClassVar[str] = "cs.nyu.edu/~kcho/DMQA, or github.com/danqi/rc-cnn-dailymail"

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the three files of records or, failing those, all files of one question each."""
        place = folder.root / "cnn_qa" / "questions"
        single = [path for name in _FOLDERS.values() for path in (place / name).glob("*.question")]
        return sorted(single) or [
            folder.find(f"cnn_qa/{split}.txt", f"cnn_qa/cnn/{split}.txt", publisher=self.publisher)
            for split in SPLITS
        ]

    def documents(self, folder: DataFolder) -> Iterator[Document | LeftOut]:
        """Read every question; those of train come first, and say which entities there are."""
        known: set[str] = set()
        files = self.files(folder)
        for number, split in enumerate(SPLITS):
            single = [path for path in files if path.parent.name == _FOLDERS[split]]
            records = files[0].suffix != ".question"
            questions = _records(files[number], split) if records else map(_single, single)
            for question in questions:
                candidates = frozenset(word for word in question.passage if word.startswith(_ENTITY))
                if split == "train":
                    known |= candidates
                yield _document(question, split, candidates, known)


def _document(
    question: _Question, split: str, candidates: frozenset[str], known: set[str]
) -> Document | LeftOut:
    begins = beginning(" ".join(question.words[:40]))
    if question.answer not in candidates:
        return LeftOut(question.name, "the answer is no entity of its article", begins=begins)
    if question.answer not in known:
        return LeftOut(question.name, "the answer is no entity of the training articles", begins=begins)
    return Document(
        name=question.name,
        split=split,
        tokens=question.passage,
        label=question.answer,
        query=question.words,
        candidates=candidates,
    )


def _records(path: Path, split: str) -> Iterator[_Question]:
    """Read records of lines: question, answer, article, and whatever else stands there."""
    with open_text(path) as file:
        lines: list[str] = []
        number = 0
        for place, line in enumerate(chain(file, [""]), 1):
            if line.strip():
                lines.append(line)
            elif lines:
                number += 1
                where = f"{path} line {place - len(lines)}"
                if len(lines) < 3:
                    raise UserError(f"{where} is not a question, its answer and its article")
                yield _made(f"{split}/{number}", where, lines[2], lines[0], lines[1])
                lines = []


def _single(path: Path) -> _Question:
    with damage_named(path):
        parts = path.read_bytes().decode("utf-8").split("\n\n")
    if len(parts) < 4:
        raise UserError(f"{path} is not an address, an article, a question and its answer")
    return _made(path.stem, str(path), parts[1], parts[2], parts[3])


def _made(name: str, where: str, passage: str, question: str, answer: str) -> _Question:
    words = question.split()
    if not words:
        raise UserError(f"{where}: the question is empty")
    return _Question(name, where, passage.split(), words, answer.strip())
