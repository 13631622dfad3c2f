"""Which cached results a user wants made anew."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from attex.foundations.errors import UserError
from attex.foundations.registry import did_you_mean
from attex.runner.cache import Cache
from attex.runner.stage import Stage
from attex.runner.stages import KINDS


@dataclass
class Recompute:
    """Kinds of stages, each as a whole (None) or those of some components only.

    What depends on a stage follows by itself if the stage comes out different.
    """

    wanted: dict[str, set[str] | None]
    _discarded: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, words: Sequence[str]) -> "Recompute | None":
        """Read `KIND` and `KIND=NAME`, as in `importance=gradient`; nothing asked for is None."""
        wanted: dict[str, set[str] | None] = {}
        for word in words:
            kind, _, name = word.partition("=")
            if kind not in KINDS:
                near = did_you_mean(kind, KINDS) or f"; known: {', '.join(KINDS)}"
                raise UserError(f"--recompute {word}: no kind of stage '{kind}'{near}")
            known = wanted.setdefault(kind, set())
            wanted[kind] = known | {name} if name and known is not None else None
        return cls(wanted) if words else None

    def discard(self, stages: Sequence[Stage], cache: Cache) -> None:
        """Forget the wanted stages; one that several experiments share only once."""
        for stage in stages:
            if self._wants(stage) and stage.key not in self._discarded:
                self._discarded.add(stage.key)
                cache.discard(stage)

    def _wants(self, stage: Stage) -> bool:
        if stage.kind not in self.wanted:
            return False
        names = self.wanted[stage.kind]
        return names is None or not names.isdisjoint(stage.component_names())
