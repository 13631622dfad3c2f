"""The checks that built-in measures and statistics pass, for those of your own."""

from attex.testing.agreement import check_agreement
from attex.testing.conformance import ConformanceError
from attex.testing.importance import check_importance

__all__ = ["ConformanceError", "check_agreement", "check_importance"]
