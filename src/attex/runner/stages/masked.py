"""A corpus and scores of its tokens → the corpus without the tokens that score highest."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from attex.data.derived import masked
from attex.data.split import Split
from attex.foundations.storage import read_tensors
from attex.runner.kept import corpus_in
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


BY_TRUTH, EVERYTHING = "truth", "everything"
"""What tokens go by where no measure is asked."""


class MaskedStage(Stage):
    """Settings: the `share` of each text's tokens that goes; `by` what, where that is no measure.

    Inputs: a corpus, and for each of its splits `scores of SPLIT`, the importance of its tokens. Where
    tokens go `by` the truth of the corpus, or all of them go, there are no scores.
    What it writes is a corpus like any other, and can be the input of a training.
    """

    kind, version = "masked", 1

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Overwrite the highest scores of each text."""
        corpus = corpus_in(inputs["corpus"])
        if "by" in self.settings:
            scores = {name: self._of_corpus(part) for name, part in corpus.splits.items()}
        else:
            scores = {
                split: read_tensors(inputs[f"scores of {split}"] / "scores.safetensors")[0]["scores"]
                for split in corpus.splits
            }
        masked(corpus, scores, self.settings["share"]).save(folder)

    def _of_corpus(self, texts: Split) -> Tensor:
        """Score tokens by what is known of them: whether they decide, or nothing, where all go."""
        known = texts.truth if self.settings["by"] == BY_TRUTH else None
        return (torch.zeros_like(texts.words) if known is None else known).double()
