"""Raw files → a corpus."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attex.data.corpus import Corpus, build_corpus
from attex.data.reader import READERS
from attex.foundations.progress import say
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class CorpusStage(Stage):
    """Settings: the dataset (`data`), the digests of its raw `files`. No inputs."""

    kind, version = "corpus", 1
    named_by = ("data",)

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Read, filter and index the texts."""
        reader = READERS.bind(READERS.spec(self.settings["data"]))
        corpus = build_corpus(reader, workspace.data)
        corpus.save(folder)
        tell_size(corpus)


def tell_size(corpus: Corpus) -> None:
    """Say what is left of the texts."""
    kept = " / ".join(f"{n:,}" for n in corpus.facts["kept"].values())
    say(f"  kept {kept} texts (train / dev / test), {corpus.vocabulary_size:,} words")
