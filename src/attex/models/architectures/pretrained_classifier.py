"""A pretrained sequence classifier, fine-tuned here or examined as it is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from torch import Tensor

from attex.foundations.registry import RUNTIME, Spec
from attex.models.architecture import MODELS, Architecture
from attex.models.pretrained import Layers, Pretrained, Rate
from attex.models.pretrained_classifier import PretrainedClassifier, outputs_for
from attex.models.pretrained_folder import config_of
from attex.models.projection import PROJECTIONS


@MODELS.register(
    "pretrained_classifier",
    cite="Devlin et al. 2019",
    requires={"transformers": "pip install 'attex[hf]'"},
)
class PretrainedClassifierArchitecture(Architecture):
    """A pretrained sequence classifier as it is: ŷ = head(state of the first marker).

    `path` is a folder with config, tokenizer and weights in safetensors, `package:NAME` for one inside
    an installed Python package, or the name of a model on the hub. Where it has no head for as many
    classes, a new one is drawn, and it must be trained; it learns at its own `learning_rate`. With the
    trainer `none` it is examined as it came. Its attention is the row of the first marker in the last
    layer, mean over heads. `projection` replaces the softmax of its self-attention, in `swapped_layers`
    or in all.
    """

    over_states = False
    encoder_class = Pretrained
    embedding_width = 0

    def __init__(
        self,
        *,
        path: Annotated[str, RUNTIME],
        learning_rate: Rate = 2e-5,
        projection: Annotated[Spec, PROJECTIONS.choice] | None = None,
        swapped_layers: Layers | None = None,
    ) -> None:
        self.path: str = path
        self.learning_rate = learning_rate
        self.projection = projection
        self.swapped_layers = swapped_layers
        self.sparse = projection is not None and PROJECTIONS[projection.type].facts["sparse"]

    def about(self) -> dict[str, str]:
        """Name the kind of model; its attention is its own."""
        projection = "softmax" if self.projection is None else self.projection.title
        return {"encoder": "pretrained_classifier", "attention": "own", "projection": projection}

    def build(self, vocabulary_size: int, classes: int, vectors: Tensor | None) -> PretrainedClassifier:
        """Read the model, with a head for so many classes."""
        encoder = Pretrained(
            Path(self.path),
            head_for=classes,
            projection=self.projection,
            swapped=self.swapped_layers,
        )
        encoder.learn_at(self.learning_rate)
        return PretrainedClassifier(encoder, classes)

    def check_trained(self, classes: Sequence[str]) -> None:
        """Ask for a classification head for these classes."""
        outputs_for(config_of(Path(self.path)), self.path, classes)
