"""The checks that built-in measures and statistics pass, for those of your own; a model by hand."""

from attex.testing.agreement import check_agreement
from attex.testing.by_hand import model_by_hand
from attex.testing.conformance import ConformanceError
from attex.testing.importance import check_importance

__all__ = ["ConformanceError", "check_agreement", "check_importance", "model_by_hand"]
