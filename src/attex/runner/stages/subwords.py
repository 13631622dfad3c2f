"""A corpus and a pretrained model's tokenizer → the same texts in the pieces that the model reads."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attex.data.subwords import in_pieces
from attex.foundations.progress import say
from attex.models.pretrained_folder import PRETRAINED, READING, WordCutter
from attex.runner.kept import corpus_in
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class SubwordsStage(Stage):
    """Settings: the digests of the pretrained model's `files`; unkeyed its `path`. Input: corpus.

    The digests are those of config, tokenizer and weights: all that is made of the pretrained model
    depends on this corpus, and so is made anew when any of them changes. Where they lie does not count.
    """

    kind, version = "subwords", 1

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Cut the words, and keep what a finished run needs to cut others."""
        place = Path(self.settings["path"])
        corpus = in_pieces(corpus_in(inputs["corpus"]), WordCutter(place))
        corpus.save(folder)
        (folder / PRETRAINED).mkdir(exist_ok=True)
        for name in READING:
            if (place / name).is_file():
                shutil.copyfile(place / name, folder / PRETRAINED / name)
        cut, unread = (sum(corpus.facts[fact].values()) for fact in ("cut", "unread"))
        if unread:
            say(f"  texts longer than the model reads: {cut:,}; words that are not read: {unread:,}")
