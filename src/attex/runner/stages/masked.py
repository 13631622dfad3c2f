"""A corpus and scores of its tokens → the corpus without the tokens that score highest."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attex.data.derived import masked
from attex.foundations.storage import read_tensors
from attex.runner.kept import corpus_in
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class MaskedStage(Stage):
    """Settings: the `share` of each text's tokens that goes.

    Inputs: a corpus, and for each of its splits `scores of SPLIT`, the importance of its tokens.
    What it writes is a corpus like any other, and can be the input of a training.
    """

    kind, version = "masked", 1

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Overwrite the highest scores of each text."""
        corpus = corpus_in(inputs["corpus"])
        scores = {
            split: read_tensors(inputs[f"scores of {split}"] / "scores.safetensors")[0]["scores"]
            for split in corpus.splits
        }
        masked(corpus, scores, self.settings["share"]).save(folder)
