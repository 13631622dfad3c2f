"""A file of word vectors and a corpus → one row for each word of its vocabulary."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attex.data.vectors import start_vectors
from attex.foundations.progress import say
from attex.foundations.storage import write_json, write_tensors
from attex.runner.kept import corpus_in
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class VectorsStage(Stage):
    """Settings: the digest of the `file`, the `width` asked for; unkeyed its `path`. Input: corpus.

    `length` and `unknown` are there where they are not the default.
    """

    kind, version = "vectors", 1

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Keep the vectors of the vocabulary's words."""
        path, width = Path(self.settings["path"]), self.settings["width"]
        changes = {name: self.settings[name] for name in ("length", "unknown") if name in self.settings}
        vectors = start_vectors(path, corpus_in(inputs["corpus"]).vocabulary, width, **changes)
        write_tensors(folder / "vectors.safetensors", {"matrix": vectors.matrix})
        about = {"coverage": vectors.coverage, "mean_length": vectors.mean_length}
        write_json(folder / "coverage.json", about)
        length = f"of length {vectors.mean_length:.2f} on average"
        say(f"  {vectors.coverage:.1%} of the vocabulary has a vector, {length}")
