"""A pretrained sequence classifier as it is: its own head reads a marker's state."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.errors import UserError, brief, listed
from attex.models.attention import Attention
from attex.models.classifier import AttentionModel, Trace
from attex.models.decoder import Decoder, only_candidates
from attex.models.pretrained import Pretrained
from attex.models.reads import Read

_QUOTE = "'"
_NO_READOUT = "a pretrained classifier has no one attention over states that its output is made of"


class MarkerRow(Attention):
    """The weights that the first marker has for all pieces, in the last layer, mean over its heads."""

    def read(self, query: Tensor | None = None) -> Read:
        """Refuse: the weights are those of layers, not read off states."""
        raise TypeError(_NO_READOUT)

    def project(self, energies: Tensor, scorable: Tensor) -> Tensor:
        """Refuse, too."""
        raise TypeError(_NO_READOUT)


class OwnHead(Decoder):
    """The head of the pretrained model, which reads the first marker's state alone."""

    linear = False

    def read(self, query: Tensor | None = None) -> Read:
        """Refuse: there are no attended values."""
        raise TypeError(_NO_READOUT)

    def head(self, values: Tensor) -> Tensor:
        """Refuse, too."""
        raise TypeError(_NO_READOUT)


class PretrainedClassifier(AttentionModel):
    """Embed, then all of the pretrained model at once; its attention is that of its first marker.

    attention [B,T] is brought to the pieces of words as it is: what the marker has for markers is left
    out, and the rest does not sum to 1. `order` [C] has the number of the model's own output for each
    class. Of two classes there is one logit, the difference.
    """

    has_readout = False
    order: Tensor

    def __init__(self, encoder: Pretrained, classes: int) -> None:
        super().__init__(encoder.take_table(), encoder, MarkerRow(), OwnHead())
        self.register_buffer("order", torch.arange(classes))

    def resume(self, embedded: Tensor, batch: Batch, *, hold_attention: bool = False) -> Trace:
        """Run the model from embeddings [B,T,d]; weights inside layers cannot be held."""
        encoder: Any = self.encoder
        logits, hidden, weights = encoder.classify(encoder.enter(embedded, batch), batch.mask)
        attention = weights.mean(dim=1)[:, 0] * batch.scorable
        energies = attention.clamp(min=torch.finfo(attention.dtype).tiny).log()
        return Trace(
            embedded, hidden, energies, attention, hidden[:, 0], self._of_classes(logits, batch)
        )

    def _of_classes(self, logits: Tensor, batch: Batch) -> Tensor:
        logits = only_candidates(logits[:, self.order], batch.allowed)
        if logits.shape[1] == 2 and batch.allowed is None:
            return logits[:, 1:] - logits[:, :1]
        return logits

    def after_layer(self, layer: int, states: Tensor, batch: Batch) -> Tensor:
        """Run the model on; above the last layer the first marker's states [B,1,m] are enough."""
        encoder: Any = self.encoder
        logits = encoder.classify_onward(states, batch.mask[:, : states.shape[1]], layer)
        return self._of_classes(logits, batch)

    def reading(self, batch: Batch) -> Tensor:
        """Read the first marker's state, and no other."""
        first = torch.zeros_like(batch.mask, dtype=self.embedding.weight.dtype)
        first[:, 0] = 1.0
        return first

    def come_trained(self, classes: Sequence[str]) -> Iterator[str]:
        """Let each class be the output of the same name, or of the same number where they have none."""
        encoder: Any = self.encoder
        outputs, by_name = outputs_for(encoder.model.config, "the model", classes)
        self.order.copy_(torch.tensor(outputs))
        if not by_name:
            pairs = (f"LABEL_{number} is '{brief(name, 60)}'" for number, name in enumerate(classes))
            yield f"the model's labels have no names, so that classes go by number: {', '.join(pairs)}"


def outputs_for(config: Any, where: str, classes: Sequence[str]) -> tuple[list[int], bool]:
    """Return the model's own output for each class, and whether they were matched by name.

    Labels that say nothing but their numbers (LABEL_0, …) are matched by them.

    Raises:
        UserError: if the model has no head, or its labels are others; the message shows both.
    """
    kinds = config.architectures or ["none is named"]
    if not any("ForSequenceClassification" in name for name in kinds):
        raise UserError(
            f"trainer 'none': {where} has no classification head ({listed(kinds)}), so that it does not "
            "come trained; choose a trainer"
        )
    labels = [str(config.id2label[number]) for number in range(len(config.id2label))]
    numbers = {_plain(label): number for number, label in enumerate(labels)}
    named = [numbers[_plain(name)] for name in classes if _plain(name) in numbers]
    if len({*named}) == len(classes) == len(labels):
        return named, True
    if labels == [f"LABEL_{number}" for number in range(len(classes))]:
        return [*range(len(classes))], False
    raise UserError(
        f"the classes of the data are [{listed(classes, quote=_QUOTE)}], and the labels of {where} are "
        f"[{listed(labels, quote=_QUOTE)}]; name them alike, in the data or by id2label in config.json"
    )


def _plain(name: str) -> str:
    return name.strip().casefold()
