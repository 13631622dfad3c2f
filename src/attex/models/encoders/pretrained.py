"""A pretrained model as the encoder under our attention."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from attex.foundations.registry import RUNTIME, Spec
from attex.models.encoder import ENCODERS
from attex.models.pretrained import Layers, Pretrained, Rate
from attex.models.projection import PROJECTIONS


@ENCODERS.register(
    "pretrained",
    cite="Devlin et al. 2019",
    requires={"transformers": "pip install 'attex[hf]'"},
)
class PretrainedEncoder(Pretrained):
    """A pretrained encoder from a folder, as BERT: h_t = its last state of piece t.

    embedded [B,T,d] → hidden [B,T,m]; d and m are the model's own. `path` is a folder with config,
    tokenizer and weights in safetensors, `package:NAME` for one inside an installed Python package, or
    the name of a model on the hub. The first `layers` are kept, by default all. `tuned: false` holds it
    as it is, and trains attention and decoder only; else it learns at its own `learning_rate`.
    `projection` replaces the softmax of its self-attention, in `swapped_layers` or in all.
    """

    def __init__(
        self,
        embedding_width: int,
        *,
        path: Annotated[str, RUNTIME],
        layers: Annotated[int, Field(ge=1, le=1000)] | None = None,
        tuned: bool = True,
        learning_rate: Rate = 2e-5,
        projection: Annotated[Spec, PROJECTIONS.choice] | None = None,
        swapped_layers: Layers | None = None,
    ) -> None:
        super().__init__(Path(path), layers=layers, projection=projection, swapped=swapped_layers)
        self.learn_at(learning_rate)
        if not tuned:
            self.requires_grad_(False)
            self.take_table().requires_grad_(False)
