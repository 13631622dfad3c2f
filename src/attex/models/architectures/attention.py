"""The model of the papers: one attention over the states of one encoder."""

from typing import Annotated, cast

from torch import Tensor

from attex.foundations.registry import Spec
from attex.models.architecture import MODELS, Architecture
from attex.models.attention import ATTENTIONS
from attex.models.classifier import AttentionModel
from attex.models.decoder import DECODERS
from attex.models.embedding import make_embedding
from attex.models.encoder import ENCODERS, Encoder, Width
from attex.models.projection import PROJECTIONS

LSTM, ADDITIVE, LINEAR = ENCODERS.spec("lstm"), ATTENTIONS.spec("tanh"), DECODERS.spec("linear")
"""What an experiment that does not say gets: the first paper's model."""


@MODELS.register("attention", cite="Jain & Wallace 2019")
class AttentionArchitecture(Architecture):
    """Embed, encode, attend, decode: ŷ = decoder(Σ_t α_t h_t), all of it trained.

    Words are looked up in a table of `embedding_width` columns, which starts from pretrained
    vectors where the experiment has a file of them.
    """

    def __init__(
        self,
        *,
        embedding_width: Width = 300,
        encoder: Annotated[Spec, ENCODERS.choice] = LSTM,
        attention: Annotated[Spec, ATTENTIONS.choice] = ADDITIVE,
        decoder: Annotated[Spec, DECODERS.choice] = LINEAR,
    ) -> None:
        self.embedding_width = embedding_width
        self.encoder_class = cast(type[Encoder], ENCODERS[encoder.type].target)
        self.encoder = encoder
        self.attention = attention
        self.decoder = decoder
        projection = attention.options().get("projection")
        # An attention without a projection puts all weight where it has been told to.
        self.sparse = projection is None or PROJECTIONS[projection.type].facts["sparse"]

    def about(self) -> dict[str, str]:
        """Name encoder, attention and projection; an attention may have no projection."""
        options = self.attention.options()
        return {
            "encoder": self.encoder.type,
            "attention": self.attention.type,
            "projection": options["projection"].title if "projection" in options else "none",
        }

    def build(self, vocabulary_size: int, classes: int, vectors: Tensor | None) -> AttentionModel:
        """Build the four steps in the order of a forward pass."""
        embedding = make_embedding(vocabulary_size, self.embedding_width, vectors)
        encoder = ENCODERS.bind(self.encoder, self.embedding_width)
        attention = ATTENTIONS.bind(self.attention, encoder.width)
        decoder = DECODERS.bind(self.decoder, encoder.width, classes)
        return AttentionModel(embedding, encoder, attention, decoder)
