"""The model of a text, and of a query if there is one: embed, encode, attend, decode."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from torch import Tensor, nn

from attex.data.batch import Batch
from attex.models.alike import first_alike, first_of_run, themselves
from attex.models.attention import Attention
from attex.models.decoder import Decoder, Readout, only_candidates
from attex.models.encoder import Deletions, Encoder
from attex.models.layers import LayerParts
from attex.models.query import QueryReader
from attex.models.reads import Read


@dataclass(frozen=True)
class Trace:
    """Every step of one forward pass.

    embedded [B,T,d], hidden [B,T,m], energies [B,T], attention [B,T], context [B,m], logits [B,O];
    layers [B,layers,heads,T,T] is the self-attention inside an encoder that has any, but for encoders
    that give it on request only.
    """

    embedded: Tensor
    hidden: Tensor
    energies: Tensor
    attention: Tensor
    context: Tensor
    logits: Tensor
    layers: Tensor | None = None


class AttentionModel(nn.Module):
    """A text classifier whose steps can each be called, and replaced, on their own.

    Steps that a query has a say in take it as `asked` [B,m], from `ask`, where it is at hand; they ask
    themselves otherwise.
    """

    has_readout: ClassVar[bool] = True
    """Whether the output is that of one attention over hidden states, so that there is a `readout`."""

    def __init__(
        self,
        embedding: nn.Embedding,
        encoder: Encoder,
        attention: Attention,
        decoder: Decoder,
        query: QueryReader | None = None,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.encoder = encoder
        self.attention = attention
        self.decoder = decoder
        self.query = query

    def ask(self, batch: Batch) -> Tensor | None:
        """Return what attention and decoder need of the query: q [B,m], or None without a query.

        That is its summary; where the decoder attends to both texts, the attended query.
        """
        if self.query is None:
            return None
        assert batch.query is not None, "a model with a query was given texts without one"
        if not self.decoder.attends_to_query:
            return cast(Tensor, self.query(batch.query))
        states = self.query.states(batch.query)
        energies = self.attention.score(states)
        return _attended(states, self.attention.project(energies, batch.query.scorable))

    @property
    def attends_to_query(self) -> bool:
        """Whether both texts are attended to, so that the tokens of both have scores."""
        return self.query is not None and self.decoder.attends_to_query

    def turned(self) -> "AttentionModel":
        """Return the same with text and query in each other's place, if both are attended to.

        It takes batches that are turned, too, and shares all modules.
        """
        assert self.query is not None
        asked = QueryReader(self.embedding, self.encoder, shared=True)
        other = AttentionModel(*self.query.parts, self.attention, self.decoder.turned(), asked)
        other.training = self.training
        return other

    def reads(self, batch: Batch, asked: Tensor | None = None) -> tuple[Read, Read]:
        """Say what attention and decoder read of the hidden states of these texts."""
        asked = self._asked(batch, asked)
        attention_asks = self.attention.takes_query and not self.decoder.attends_to_query
        return (
            self.attention.read(asked) if attention_asks else self.attention.read(),
            self.decoder.read(asked) if self.decoder.takes_query else self.decoder.read(),
        )

    def _asked(self, batch: Batch, asked: Tensor | None) -> Tensor | None:
        return self.ask(batch) if asked is None else asked

    def embed(self, batch: Batch) -> Tensor:
        """Look the tokens up: [B,T,d]."""
        return cast(Tensor, self.embedding(batch.tokens))

    def encode(self, embedded: Tensor, batch: Batch) -> Tensor:
        """Encode all real positions, markers included: [B,T,m]."""
        return cast(Tensor, self.encoder(self.encoder.enter(embedded, batch), batch.mask))

    def encode_layers(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, Tensor | None]:
        """Encode, and return the encoder's own self-attention, if any, beside the states."""
        return self.encoder.trace(self.encoder.enter(embedded, batch), batch.mask)

    def layer_parts(self, batch: Batch) -> Iterator[LayerParts]:
        """Yield the layers of self-attention of these texts, the first one first."""
        return self.encoder.layer_parts(self.encoder.enter(self.embed(batch), batch), batch.mask)

    def after_layer(self, layer: int, states: Tensor, batch: Batch) -> Tensor:
        """Give the logits [B,O] that follow from the states [B,T,m] that leave a layer.

        Layers of self-attention are counted from 0. All above that layer is computed anew.
        """
        hidden, asked = self.encoder.onward(states, batch.mask, layer), self.ask(batch)
        return self.decode(hidden, self.attend(hidden, batch, asked), batch, asked)

    def reading(self, batch: Batch) -> Tensor:
        """Say how much of each state of the last layer is read for the output: [B,T], of sum 1."""
        return self.attend(self.encode(self.embed(batch), batch), batch)

    def score(self, hidden: Tensor, batch: Batch, asked: Tensor | None = None) -> Tensor:
        """Give every position an energy: [B,T]."""
        return self.reads(batch, asked)[0](hidden)

    def attend(self, hidden: Tensor, batch: Batch, asked: Tensor | None = None) -> Tensor:
        """Score, then weigh: [B,T]."""
        return self.weigh(self.score(hidden, batch, asked), batch)

    def weigh(self, energies: Tensor, batch: Batch) -> Tensor:
        """Give the scorable positions the weights their energies ask for: [B,T]."""
        return self.attention.project(energies, batch.scorable)

    def weigh_without(
        self, attention: Tensor, energies: Tensor, variants: Deletions, batch: Batch
    ) -> Tensor:
        """Weigh what is left of texts that lost a position each: [R,T], or [R,T−1] if closed up.

        attention [B,T] are the weights of the whole texts, energies [R,…] lie as the variants do.
        """
        return self.attention.project(energies, variants.remaining(batch.scorable))

    def weigh_shortened(self, attention: Tensor, energies: Tensor, batch: Batch) -> Tensor:
        """Weigh shortened texts: [B,T].

        attention [B,T] are the weights that the positions had in the whole texts, energies [B,T] those
        that they have now; `batch` is what is left.
        """
        return self.weigh(energies, batch)

    def alike(self, attention: Tensor, batch: Batch) -> Tensor:
        """Return for each position the first one that the model treats the same: [B,T].

        Where neither the states nor their weights depend on the order of the words, that is the first
        with the same word; else only the position itself. attention [B,T] are the weights.
        """
        if not self._order_counts:
            return first_alike(batch.scorable, batch.tokens, self._lasting(attention))
        return themselves(batch.scorable)

    def alike_without(self, attention: Tensor, batch: Batch) -> Tensor:
        """Return for each position the first one whose deletion leaves the same: [B,T].

        Of equal words side by side it does not matter which is gone; see also `alike`. Long phrases
        that a text repeats, the same to a convolution, are not looked for.
        """
        if not self._order_counts:
            return self.alike(attention, batch)
        return first_of_run(batch.scorable, batch.tokens, self._lasting(attention))

    @property
    def _order_counts(self) -> bool:
        return self.attention.order_counts or not self.encoder.position_wise

    def _lasting(self, attention: Tensor) -> Tensor | None:
        """Return the weights [B,T] if a position keeps its own whatever the others are, else None."""
        return None

    def decode(
        self, hidden: Tensor, attention: Tensor, batch: Batch, asked: Tensor | None = None
    ) -> Tensor:
        """Give the logits of the attended states: [B,O], −∞ for what is no candidate."""
        return self._logits(_attended(hidden, attention), attention, batch, asked)

    def _logits(self, context: Tensor, attention: Tensor, batch: Batch, asked: Tensor | None) -> Tensor:
        values = self.reads(batch, asked)[1].attended(context, attention)
        return only_candidates(self.decoder.head(values), batch.allowed)

    def readout(self, hidden: Tensor, batch: Batch, asked: Tensor | None = None) -> Readout:
        """Reduce hidden states to what the output depends on."""
        return self.decoder.readout(self.reads(batch, asked)[1](hidden), batch.allowed)

    def forward(self, batch: Batch) -> Trace:
        """Compose the steps."""
        return self.resume(self.embed(batch), batch)

    def resume(self, embedded: Tensor, batch: Batch, *, hold_attention: bool = False) -> Trace:
        """Go on from embeddings [B,T,d] that need not be those of the batch's own tokens.

        With `hold_attention` no gradient passes the weights.
        """
        layers: Tensor | None = None
        if self.encoder.layers_on_request:
            hidden = self.encode(embedded, batch)
        else:
            hidden, layers = self.encode_layers(embedded, batch)
        return self.from_states(hidden, batch, embedded, layers, hold_attention=hold_attention)

    def from_states(
        self,
        hidden: Tensor,
        batch: Batch,
        embedded: Tensor,
        layers: Tensor | None = None,
        *,
        hold_attention: bool = False,
    ) -> Trace:
        """Go on from hidden states [B,T,m]; the trace has what they were made of as it is given."""
        asked = self.ask(batch)
        energies = self.score(hidden, batch, asked)
        attention = self.weigh(energies, batch)
        held = attention.detach() if hold_attention else attention
        context = _attended(hidden, held)
        logits = self._logits(context, held, batch, asked)
        return Trace(embedded, hidden, energies, attention, context, logits, layers)

    def come_trained(self, classes: Sequence[str]) -> Iterator[str]:
        """Take the classes for those that the model was trained for; say what is not told by names."""
        raise TypeError(f"a {type(self).__name__} does not come trained")

    def parameter_groups(
        self,
        learning_rate: float,
        weight_decay: float,
        *,
        attention_factor: float = 1.0,
        decay_attention: bool = False,
    ) -> list[dict[str, Any]]:
        """Group the parameters for an optimiser.

        Attention is not decayed (Jain & Wallace) unless asked for, and learns `attention_factor`
        times as fast as the rest (Meister et al.: 1 or 10). A module with a `learning_rate` of its
        own, as learned entmax, keeps it.
        """
        own: list[tuple[float, list[nn.Parameter]]] = []
        taken: set[int] = set()
        # The innermost first: it may stand in a module that has a rate of its own, too.
        for module in reversed([*self.modules()]):
            if hasattr(module, "learning_rate"):
                its = [p for p in module.parameters() if id(p) not in taken]
                own.insert(0, (cast(float, module.learning_rate), its))
                taken |= {id(parameter) for parameter in its}
        held = [p for p in self.attention.parameters() if id(p) not in taken]
        taken |= {id(parameter) for parameter in held}
        rest = [parameter for parameter in self.parameters() if id(parameter) not in taken]
        groups: list[dict[str, Any]] = [
            {"params": rest, "lr": learning_rate, "weight_decay": weight_decay},
            {
                "params": held,
                "lr": learning_rate * attention_factor,
                "weight_decay": weight_decay if decay_attention else 0.0,
            },
            *({"params": its, "lr": rate, "weight_decay": 0.0} for rate, its in own),
        ]
        return [group for group in groups if group["params"]]


def _attended(hidden: Tensor, attention: Tensor) -> Tensor:
    return (attention.unsqueeze(1) @ hidden).squeeze(1)
