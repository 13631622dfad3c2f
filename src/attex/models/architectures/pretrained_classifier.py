"""A pretrained sequence classifier, fine-tuned here or examined as it is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from torch import Tensor

from attex.foundations.errors import UserError, listed
from attex.foundations.registry import RUNTIME, Spec
from attex.models.architecture import MODELS, Architecture
from attex.models.pretrained import NEEDED, Layers, Pretrained, Rate
from attex.models.pretrained_classifier import PretrainedClassifier
from attex.models.pretrained_folder import config_of
from attex.models.projection import PROJECTIONS


@MODELS.register("pretrained_classifier", cite="Devlin et al. 2019", requires=NEEDED)
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
        outputs_for(Path(self.path), classes)


def outputs_for(folder: Path, classes: Sequence[str]) -> tuple[list[int], bool]:
    """Return the model's own output for each class, and whether they were matched by name.

    Labels that say nothing but their numbers (LABEL_0, …) are matched by them.

    Raises:
        UserError: if the model has no head, or its labels are others; the message shows both.
    """
    config = config_of(folder)
    if not any("ForSequenceClassification" in name for name in config.architectures or ()):
        kinds = listed(config.architectures or ["none named"])
        raise UserError(
            f"trainer 'none': {folder} has no classification head ({kinds}), so that it does not come "
            "trained; choose a trainer"
        )
    labels = [str(config.id2label[number]) for number in range(len(config.id2label))]
    numbers = {_plain(label): number for number, label in enumerate(labels)}
    named = [numbers.get(_plain(name)) for name in classes]
    if len(labels) == len(classes):
        found = [number for number in named if number is not None]
        if len({*found}) == len(classes):
            return found, True
        if labels == [f"LABEL_{number}" for number in range(len(labels))]:
            return [*range(len(classes))], False
    raise UserError(
        f"the classes of the data are [{listed(classes, quote=chr(39))}], and those of {folder} are "
        f"[{listed(labels, quote=chr(39))}]; name them alike, in the data or under id2label in its "
        "config.json"
    )


def _plain(name: str) -> str:
    return name.strip().casefold()
