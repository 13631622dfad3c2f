"""What a model is made of, before it has any weights."""

from abc import ABC, abstractmethod

from torch import Tensor

from attex.foundations.errors import UserError
from attex.foundations.registry import Registry
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder


class Architecture(ABC):
    """A kind of model with its options: what is known of the model, and how to build it."""

    embedding_width: int
    """The width of the word vectors that the model can start from."""
    encoder_class: type[Encoder]
    """The encoder, not yet built: what the class says holds for every model of this architecture."""
    asks: bool = False
    """Whether it takes a query beside the text, so that texts must have one."""

    @abstractmethod
    def about(self) -> dict[str, str]:
        """The columns that identify the model in every table: encoder, attention and projection."""

    @abstractmethod
    def build(self, vocabulary_size: int, classes: int, vectors: Tensor | None) -> AttentionModel:
        """Build a model with weights drawn anew, but for the word vectors [V,d] where given."""


MODELS: Registry[Architecture] = Registry("model", "attex.models.architectures", default="attention")


def check_queries(architecture: Architecture, given: bool) -> None:
    """Raise `UserError` unless the model asks where texts come with a query, and only there."""
    if given and not architecture.asks:
        raise UserError(
            "the texts come with a query, which the model does not take; set model.query, as to {}, and "
            "model.decoder to query"
        )
    if architecture.asks and not given:
        raise UserError("model.query: the texts come without a query; leave it out")
