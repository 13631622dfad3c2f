"""What a model is made of, before it has any weights."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

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

    path: str | None = None
    """The pretrained model whose pieces of words it reads; None: it reads words."""
    over_states: bool = True
    """Whether it has one attention over hidden states, so that measures of states apply."""

    sparse: bool = False
    """Whether attention can give a position that counts a weight of exactly 0."""

    @abstractmethod
    def about(self) -> dict[str, str]:
        """The columns that identify the model in every table: encoder, attention and projection."""

    @abstractmethod
    def build(self, vocabulary_size: int, classes: int, vectors: Tensor | None) -> AttentionModel:
        """Build a model with weights drawn anew, but for the word vectors [V,d] where given."""

    def check_trained(self, classes: Sequence[str]) -> None:
        """Raise `UserError` unless such a model comes trained for these classes."""
        raise UserError("trainer 'none': this type of model does not come trained; choose a trainer")


MODELS: Registry[Architecture] = Registry(
    "model", "attex.models.architectures", default="attention", requires={}
)
"""Fact of a kind of model: packages that it `requires`, each with what brings it."""
