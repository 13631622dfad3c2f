"""The model of the papers: one attention over the states of one encoder."""

from typing import Annotated, cast

from torch import Tensor, nn

from attex.foundations.errors import UserError
from attex.foundations.registry import LATER, Spec, Strict
from attex.models.architecture import MODELS, Architecture
from attex.models.attention import ATTENTIONS, Attention
from attex.models.classifier import AttentionModel
from attex.models.decoder import DECODERS, Decoder
from attex.models.embedding import make_embedding
from attex.models.encoder import ENCODERS, Encoder, Width
from attex.models.projection import PROJECTIONS
from attex.models.query import QueryReader

LSTM, ADDITIVE, LINEAR = ENCODERS.spec("lstm"), ATTENTIONS.spec("tanh"), DECODERS.spec("linear")
"""What an experiment that does not say gets: the first paper's model."""


class Query(Strict):
    """How the second text is read, in a model that has one."""

    encoder: Annotated[Spec, ENCODERS.choice] | None = None
    """Its encoder; one like the text's unless given."""
    shared: bool = False
    """Whether embedding and encoder are those of the text, and not its own."""


@MODELS.register("attention", cite="Jain & Wallace 2019")
class AttentionArchitecture(Architecture):
    """Embed, encode, attend, decode: ŷ = decoder(Σ_t α_t h_t), all of it trained.

    Words are looked up in a table of `embedding_width` columns, which starts from pretrained
    vectors where the experiment has a file of them. A pretrained encoder has a table of its own, of
    pieces of words.

    With a `query` every text has a second one, that asks: {} gives it an embedding and an encoder of
    its own, like the text's; {encoder: …} another encoder; {shared: true} those of the text. Its summary
    q goes to the attentions and decoders that take one: the last states of a recurrence, the highest of
    every filter of a convolution, the mean of other states.
    """

    def __init__(
        self,
        *,
        embedding_width: Width = 300,
        encoder: Annotated[Spec, ENCODERS.choice] = LSTM,
        attention: Annotated[Spec, ATTENTIONS.choice] = ADDITIVE,
        decoder: Annotated[Spec, DECODERS.choice] = LINEAR,
        query: Annotated[Query | None, LATER] = None,
    ) -> None:
        self.embedding_width = embedding_width
        self.encoder_class = _class_of(encoder)
        self.encoder = encoder
        self.attention = attention
        self.decoder = decoder
        projection = attention.options().get("projection")
        # An attention without a projection puts all weight where it has been told to.
        self.sparse = projection is None or PROJECTIONS[projection.type].facts["sparse"]
        self.query = query
        self._decoder_class = cast(type[Decoder], DECODERS[decoder.type].target)
        if self.encoder_class.reads_pieces:
            self.path = encoder.options()["path"]
            if query is not None:
                raise UserError(
                    f"model.query: a {encoder.type} encoder reads text and query as one; leave it out"
                )
        if query is not None and query.encoder is not None and _class_of(query.encoder).reads_pieces:
            raise UserError("model.query.encoder: a pretrained encoder reads text and query as one")
        if query is not None and query.shared and query.encoder is not None:
            raise UserError("model.query: 'shared' means the text's encoder; leave out one of both")
        if query is None and self._decoder_class.takes_query:
            raise UserError(f"model.decoder: '{decoder.type}' needs a query; set model.query to {{}}")

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
        embedding: nn.Embedding
        if self.encoder_class.reads_pieces:
            encoder = ENCODERS.bind(self.encoder, self.embedding_width)
            embedding = encoder.take_table()
        else:
            embedding = make_embedding(vocabulary_size, self.embedding_width, vectors)
            encoder = ENCODERS.bind(self.encoder, self.embedding_width)
        query = None
        if self.query is not None and self.query.shared:
            query = QueryReader(embedding, encoder, shared=True)
        elif self.query is not None:
            table = make_embedding(vocabulary_size, self.embedding_width, vectors)
            own = ENCODERS.bind(self.query.encoder or self.encoder, self.embedding_width)
            query = QueryReader(table, own)
        attention_asked, decoder_asked = self._told(query)
        attention = ATTENTIONS.bind(self.attention, encoder.width, *attention_asked)
        decoder = DECODERS.bind(self.decoder, encoder.width, *decoder_asked, classes)
        return AttentionModel(embedding, encoder, attention, decoder, query)

    def _told(self, query: QueryReader | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Give the width of the query for attention and decoder, each where it takes one."""
        attention_class = cast(type[Attention], ATTENTIONS[self.attention.type].target)
        attention_asks = attention_class.takes_query and not self._decoder_class.attends_to_query
        width = () if query is None else (query.width,)
        return (
            width if attention_asks else (),
            width if self._decoder_class.takes_query else (),
        )


def _class_of(encoder: Spec) -> type[Encoder]:
    return cast(type[Encoder], ENCODERS[encoder.type].target)
