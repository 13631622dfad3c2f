"""Every registry of the house, by kind."""

from typing import Any

from attex.agreement.statistic import STATISTICS
from attex.analyses.analysis import ANALYSES
from attex.data.reader import READERS
from attex.foundations.registry import Registry
from attex.importance.measure import MEASURES
from attex.models.architecture import MODELS
from attex.models.attention import ATTENTIONS
from attex.models.decoder import DECODERS
from attex.models.encoder import ENCODERS
from attex.models.projection import PROJECTIONS
from attex.training.trainer import TRAINERS

REGISTRIES: dict[str, Registry[Any]] = {
    registry.kind: registry
    for registry in (
        READERS,
        MODELS,
        ENCODERS,
        ATTENTIONS,
        PROJECTIONS,
        DECODERS,
        TRAINERS,
        MEASURES,
        STATISTICS,
        ANALYSES,
    )
}
