"""Raw files → a corpus."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from attex.data.corpus import Corpus, build_corpus
from attex.data.left_out import counted, told
from attex.data.reader import READERS
from attex.foundations.progress import say
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class CorpusStage(Stage):
    """Settings: the dataset (`data`), the digests of its raw `files`. No inputs.

    Unkeyed is the folder of the experiment file (`beside`), where raw files may lie.
    """

    kind, version = "corpus", 1
    named_by = ("data",)

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Read, filter and index the texts."""
        reader = READERS.bind(READERS.spec(self.settings["data"]))
        beside = self.settings.get("beside")
        place = replace(workspace.data, beside=None if beside is None else Path(beside))
        corpus = build_corpus(reader, place)
        corpus.save(folder)
        tell_size(corpus)
        for line in tell_left_out(corpus, reader.unit):
            say(f"  {line}")


def tell_left_out(corpus: Corpus, unit: str) -> Iterator[str]:
    """Say what was remarkable about the raw files, what was left out, and the first of what is wrong."""
    yield from corpus.facts["remarks"]
    if corpus.facts["left_out"]:
        yield f"left out: {counted(corpus.facts['left_out'])}"
    unusable = [one for one in corpus.left_out if not one.asked]
    yield from (f"  {line}" for line in told(unusable, unit))


def tell_size(corpus: Corpus) -> None:
    """Say what is left of the texts."""
    kept = " / ".join(f"{n:,}" for n in corpus.facts["kept"].values())
    say(f"  kept {kept} texts (train / dev / test), {corpus.vocabulary_size:,} words")
