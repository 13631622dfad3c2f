"""Generated texts of which it is known which words decide the label."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from attex.data.cleaning import words_and_marks
from attex.data.folder import DataFolder
from attex.data.planted_tasks import TASKS, Asked, TaskName, question
from attex.data.reader import READERS, SPLITS, Document, Reader
from attex.foundations.registry import LATER

Size = Annotated[int, Field(ge=2, le=1_000_000)]


@READERS.register("planted", cite="attex")
@dataclass(frozen=True, kw_only=True)
class Planted(Reader):
    """Generated reviews of an inn with the words that decide the label marked; needs no files.

    With `hide_truth` these words are impermissible, too: attention may be trained to hide them.
    `task` is the rule: `keyword`, one polar word; `majority`, most of three or five polar words;
    `negation`, a polar word and the negator directly before it, if any; `interaction`, whether a
    dish and its temperature fit; `position`, the first of several polar words; `question`, how good,
    warm or cheap things were, whichever of these a query asks after. `sizes` are the texts of train,
    dev and test, half of them positive and no two alike.
    """

    task: TaskName = "majority"
    sizes: tuple[Size, Size, Size] = (2000, 300, 300)
    seed: int = 0
    hide_truth: Annotated[bool, LATER] = False

    publisher: ClassVar[str] = "attex itself"
    classes: ClassVar[tuple[str, ...]] = ("negative", "positive")

    def files(self, folder: DataFolder) -> list[Path]:
        """Return nothing: the texts are generated."""
        return []

    def tokens(self, text: str) -> list[str]:
        """Cut a text into lower-case words and marks; the generated ones have no marks."""
        return words_and_marks(text)

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Generate all splits; a text that was written before is written anew."""
        seen: set[Asked] = set()
        for split, size in zip(SPLITS, self.sizes, strict=True):
            rng = random.Random(f"{self.task}/{self.seed}/{split}")
            labels = [index % 2 for index in range(size)]
            # `limit` keeps evenly spaced texts: of alternating labels it could keep one class only.
            rng.shuffle(labels)
            for index, label in enumerate(labels):
                written = self._write(bool(label), rng)
                while written in seen:
                    written = self._write(bool(label), rng)
                seen.add(written)
                text, query = written
                yield Document(
                    name=f"{self.task}/{self.seed}/{split}/{index}",
                    split=split,
                    impermissible=[decides for _, decides in text] if self.hide_truth else None,
                    tokens=[word for word, _ in text],
                    label=self.classes[label],
                    truth=[decides for _, decides in text],
                    query=[*query] or None,
                )

    def _write(self, positive: bool, rng: random.Random) -> Asked:
        if self.task == "question":
            return question(positive, rng)
        return TASKS[self.task](positive, rng), ()
