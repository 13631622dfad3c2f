"""Pretrained models under an attention that can be seen, projected otherwise and edited."""

import functools
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, cast

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from attex.data.batch import Batch
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec
from attex.models.encoder import Encoder
from attex.models.layers import LayerParts
from attex.models.pretrained_folder import config_of, library, reading
from attex.models.pretrained_layers import Edit, Watch, layers_of, running_above
from attex.models.projection import PROJECTIONS, Projection, in_parts

Layers = tuple[Annotated[int, Field(ge=0, le=1000)], ...]
"""Numbers of layers, counted from 0, as an option."""
Rate = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]

_OURS = "attex"
_SMALL = 384
"""The width of a layer that takes, with what a gradient needs kept, about as much as a small encoder."""
_WEIGHTS_MADE = 4
"""Text-sized rows that a head makes for a position: energies, weights, and a mask's copies."""

_ROWS_KEPT, _WEIGHTS_KEPT = 32, 6
"""What a gradient needs kept of a position for each layer, in hidden-sized and text-sized rows."""


@dataclass
class _Pass:
    """One forward pass: which layer is at work, and what is to be done in it, or what comes of it."""

    projections: Mapping[str, Projection]
    watched: frozenset[int]
    edits: Mapping[int, Edit]
    mixed: Tensor | None = None
    weights: dict[int, Tensor] = field(default_factory=dict)
    layer: int = 0


_PASS: ContextVar[_Pass | None] = ContextVar("pass", default=None)
_EDITS: ContextVar[Mapping[int, Edit]] = ContextVar("edits")
_WEIGHTS_COME_LATER: ContextVar[bool] = ContextVar("weights come later", default=False)


@contextmanager
def edits(by_layer: Mapping[int, Edit]) -> Iterator[None]:
    """Change weights and values of some layers in all passes in here; layers are counted from 0."""
    token = _EDITS.set(by_layer)
    try:
        yield
    finally:
        _EDITS.reset(token)


@contextmanager
def _passing(now: _Pass) -> Iterator[_Pass]:
    token = _PASS.set(now)
    try:
        yield now
    finally:
        _PASS.reset(token)


def _given(mixed: Tensor) -> AbstractContextManager[_Pass]:
    """Run a single layer in here, with what its heads mix given: [R,T,H,e]."""
    return _passing(_Pass({}, frozenset(), {}, mixed))


@contextmanager
def weights_come_later() -> Iterator[None]:
    """Build models in here without reading their folders' weights: others are loaded into them."""
    token = _WEIGHTS_COME_LATER.set(True)
    try:
        yield
    finally:
        _WEIGHTS_COME_LATER.reset(token)


def _attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **_: Any,
) -> tuple[Tensor, Tensor | None]:
    """Attend as the library asks for it: [B,H,T,e] each → [B,T,H,e], and weights where looked at."""
    now = _PASS.get()
    if now is not None and now.mixed is not None:
        return now.mixed, None
    layer = 0
    if now is not None:
        layer, now.layer = now.layer, now.layer + 1
    project = None if now is None else now.projections.get(str(layer))
    edit = None if now is None else now.edits.get(layer)
    looked_at = now is not None and layer in now.watched
    if project is None and edit is None and not looked_at:
        attended = F.scaled_dot_product_attention(
            query, key, value, attn_mask=attention_mask, dropout_p=dropout, scale=scaling
        )
        return attended.transpose(1, 2).contiguous(), None
    energies = query @ key.mT * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    if attention_mask is None:
        attention_mask = torch.ones((), dtype=torch.bool, device=energies.device)
    weights = in_parts(project or _softmax(), energies, attention_mask.expand_as(energies))
    if edit is not None:
        weights, value = edit(weights, value)
    if now is not None and looked_at:
        # Before dropout: what is looked at is the attention, not a draw of it.
        now.weights[layer] = weights
    attended = F.dropout(weights, dropout, training=dropout > 0) @ value
    return attended.transpose(1, 2).contiguous(), weights


@functools.cache
def _softmax() -> Projection:
    return cast(Projection, PROJECTIONS["softmax"].target)


def _mask(*args: Any, **options: Any) -> Tensor:
    """Make the mask of every batch, also of one without padding: a look at that would halt a GPU."""
    from transformers.masking_utils import sdpa_mask

    never = {"allow_is_causal_skip": False, "allow_is_bidirectional_skip": False}
    return cast(Tensor, sdpa_mask(*args, **options | never))


@functools.cache
def _under_ours() -> Any:
    """Tell transformers of our attention, and of the mask it wants: without that padding had weight."""
    transformers = library()
    transformers.AttentionInterface.register(_OURS, _attend)
    transformers.AttentionMaskInterface.register(_OURS, _mask)
    return transformers


class Pretrained(Encoder):
    """A pretrained model as an encoder of pieces: its states [B,T,m] of the last layer.

    `folder` holds the model, of which the first `layers` are kept; `head_for` is the number of classes
    where its classification head is wanted, too. Its table of pieces is apart, in `take_table`. The
    self-attention of the layers in `swapped` is projected by `projection`; None are all of them.
    """

    reads_pieces = True
    layers_on_request = True

    def __init__(
        self,
        folder: Path,
        *,
        layers: int | None = None,
        head_for: int | None = None,
        projection: Spec | None = None,
        swapped: Layers | None = None,
    ) -> None:
        super().__init__()
        self.model = _read(folder, layers, head_for)
        config = self.model.config
        self.width: int = config.hidden_size
        self.heads: int = config.num_attention_heads
        self.layer_count: int = config.num_hidden_layers
        self.weights_per_position = _WEIGHTS_MADE * self.heads
        self.memory_factor = max(1, self.layer_count * self.width // _SMALL)
        chosen = range(self.layer_count) if swapped is None else swapped
        beyond = [layer for layer in chosen if layer >= self.layer_count]
        if beyond:
            raise UserError(
                f"swapped_layers: there is no layer {beyond[0]}; the model has "
                f"{self.layer_count}, from 0 on"
            )
        # One each, so that each layer can learn its own.
        bound = {str(n): PROJECTIONS.bind(projection) for n in chosen} if projection else {}
        learned = {n: one for n, one in bound.items() if isinstance(one, nn.Module)}
        self.learned = nn.ModuleDict(learned)
        self._projections: Mapping[str, Projection] = bound
        self._hold_table()

    @property
    def base(self) -> Any:
        """The model less a head."""
        return self.model.base_model

    @functools.cached_property
    def _layers(self) -> Collection[nn.Module]:
        """The modules of its layers, which may be fewer."""
        return layers_of(self.base)

    def _hold_table(self) -> None:
        table = self.base.get_input_embeddings()
        # In a tuple it is not listed as a module: its rows would be found twice, here and in the model.
        self._table = (table,)
        self.base.set_input_embeddings(_Elsewhere())

    def take_table(self) -> nn.Embedding:
        """Return the table in which pieces are looked up, for the step before this one."""
        return cast(nn.Embedding, self._table[0])

    def learn_at(self, rate: float) -> None:
        """Set the learning rate of all of it, the table included."""
        self.learning_rate = rate
        # An attribute of a module that is not ours.
        vars(self._table[0])["learning_rate"] = rate

    def enter(self, embedded: Tensor, batch: Batch) -> Tensor:
        """Tell the model which pieces are of a query, if it has a vector to tell it with."""
        types = getattr(getattr(self.base, "embeddings", None), "token_type_embeddings", None)
        if batch.segment is None or types is None or len(types.weight) < 2:
            return embedded
        # The model itself adds the vector of the first kind at every position.
        second: Tensor = types.weight[1] - types.weight[0]
        return embedded + batch.segment[..., None] * second

    def gradient_bytes(self, embedded: Tensor) -> int:
        """Count what every layer keeps."""
        length = embedded.shape[1]
        floats = self.layer_count * (_ROWS_KEPT * self.width + _WEIGHTS_KEPT * self.heads * length)
        return embedded.element_size() * length * floats

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Encode, without keeping the self-attention."""
        return self._states(embedded, mask, frozenset())[0]

    def trace(self, embedded: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Encode, and keep every layer's self-attention [B,layers,heads,T,T]."""
        states, weights = self._states(embedded, mask, frozenset(range(self.layer_count)))
        return states, torch.stack([weights[layer] for layer in range(self.layer_count)], dim=1)

    def classify(self, embedded: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Run the head, too: logits [B,C], states [B,T,m], and the last layer's weights [B,H,T,T]."""
        kept: list[Tensor] = []
        hook = self.base.register_forward_hook(lambda module, given, made: kept.append(made[0]))
        try:
            made, weights = self._run(self.model, embedded, mask, frozenset({self.layer_count - 1}))
        finally:
            hook.remove()
        (states,) = kept
        return made.logits, _blanked(states, mask), weights[self.layer_count - 1]

    def layer_parts(self, embedded: Tensor, mask: Tensor) -> Iterator[LayerParts]:
        """Run the model while looking on, and yield what was seen of its layers."""
        watch, others = Watch(), _EDITS.get({})

        def seen_after(layer: int) -> Edit:
            changed = others.get(layer)
            if changed is None:
                return watch.edit
            return lambda weights, values: watch.edit(*changed(weights, values))

        with (
            watch.on(self.base, self._layers),
            edits({n: seen_after(n) for n in range(self.layer_count)}),
        ):
            self(embedded, mask)
        yield from watch.parts(_given)

    def onward(self, states: Tensor, mask: Tensor, layer: int) -> Tensor:
        """Run the layers above one, and what the model does with their states."""
        return _blanked(self._run_above(self.base, states, mask, layer)[0], mask)

    def classify_onward(self, states: Tensor, mask: Tensor, layer: int) -> Tensor:
        """Run the layers above one, and the head: logits [B,C].

        Above the last layer the states [B,1,m] of the first marker will do, which the head reads alone.
        """
        logits: Tensor = self._run_above(self.model, states, mask, layer).logits
        return logits

    def _run_above(self, model: Any, states: Tensor, mask: Tensor, layer: int) -> Any:
        if layer == self.layer_count - 1:
            # No layer is left that reads the mask, so that one text's will do for all.
            mask = mask[:1]
        # What is embedded goes no further than to the first layer.
        nothing = states.new_zeros(*mask.shape, self._table[0].embedding_dim)
        with running_above(self._layers, layer, states):
            return self._run(model, nothing, mask, frozenset(), above=layer)[0]

    def _states(
        self, embedded: Tensor, mask: Tensor, watched: frozenset[int]
    ) -> tuple[Tensor, dict[int, Tensor]]:
        made, weights = self._run(self.base, embedded, mask, watched)
        return _blanked(made[0], mask), weights

    def _run(
        self, model: Any, embedded: Tensor, mask: Tensor, watched: frozenset[int], above: int = -1
    ) -> tuple[Any, dict[int, Tensor]]:
        """Run a part of the model; return what it makes, and the weights of the watched layers.

        Layers are at work `above` one only.
        """
        with _passing(_Pass(self._projections, watched, _EDITS.get({}), layer=above + 1)) as now:
            made = model(inputs_embeds=embedded, attention_mask=mask.long())
        return made, now.weights


class _Elsewhere(nn.Module):
    """Stands where a model's table of pieces was."""


def _blanked(states: Tensor, mask: Tensor) -> Tensor:
    return states.masked_fill(~mask[..., None], 0.0)


def _read(folder: Path, layers: int | None, head_for: int | None) -> Any:
    """Read a model; on the meta device, or where weights come later, its shapes only."""
    transformers = _under_ours()
    config = config_of(folder)
    _check_kind(folder, config)
    if head_for is not None:
        _check_head(folder, config)
    has_head = any("ForSequenceClassification" in name for name in config.architectures or ())
    own_head = head_for is not None and has_head and config.num_labels == head_for
    if layers is not None:
        if layers > config.num_hidden_layers:
            raise UserError(f"layers {layers}: {folder} has {config.num_hidden_layers}")
        config.num_hidden_layers = layers
    if head_for is not None and not own_head:
        config.num_labels = head_for
    auto = (
        transformers.AutoModel if head_for is None else transformers.AutoModelForSequenceClassification
    )
    options = {"attn_implementation": _OURS, "dtype": torch.float32}
    if _WEIGHTS_COME_LATER.get() or torch.get_default_device().type == "meta":
        model = reading(folder, "config.json", lambda: auto.from_config(config, **options))
    else:
        more = {"use_safetensors": True, "ignore_mismatched_sizes": True, "local_files_only": True}
        model = reading(
            folder,
            "weights",
            lambda: auto.from_pretrained(str(folder), config=config, **options, **more),
        )
    _check_attention(folder, config, model)
    base = model.base_model
    if head_for is None and getattr(base, "pooler", None) is not None:
        # It sums a text up, which our attention does here.
        base.pooler = None
    return model


def _check_kind(folder: Path, config: Any) -> None:
    if getattr(config, "is_encoder_decoder", False):
        raise UserError(
            f"{folder} is a model of type '{config.model_type}', which reads a text and writes another: "
            "an encoder is needed, as BERT is"
        )


def _check_head(folder: Path, config: Any) -> None:
    """Refuse a head that reads the mean of all states, as some models let one choose."""
    pooling = getattr(config, "classifier_pooling", "cls")
    if pooling != "cls":
        raise UserError(
            f"{folder}: its head reads the {pooling} of all states (classifier_pooling), not the first "
            "marker's; a head on the first marker is needed, or the encoder 'pretrained' in its place"
        )


def _check_attention(folder: Path, config: Any, model: Any) -> None:
    """Refuse a model whose self-attention cannot be seen, or sees only what came before."""
    attentions = [module for module in model.modules() if hasattr(module, "is_causal")]
    kind = f"{folder} is a model of type '{config.model_type}'"
    if not attentions:
        raise UserError(
            f"{kind}, whose attention cannot be looked at: transformers' attention interface is needed, "
            "which models as BERT, RoBERTa, DistilBERT or ELECTRA have"
        )
    if any(module.is_causal for module in attentions):
        raise UserError(
            f"{kind}, a decoder: a piece sees only those before it, so that no first marker sees the "
            "whole text; an encoder is needed, as BERT is"
        )
