"""What an experiment says of texts that some of their tokens are taken from."""

import math
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, PlainValidator

from attex.foundations.registry import Spec, Strict
from attex.importance.measure import MEASURES
from attex.training.trainer import InlineExperiment

TRUTH = "truth"
"""In the place of a measure: the marks of the tokens that decide, where the data has them."""

Share = Annotated[float, Field(ge=0, le=1)]
Step = Annotated[float, Field(gt=0, le=1)]


def _scorer(value: Any) -> Spec:
    return Spec(type=TRUTH) if value in (TRUTH, {"type": TRUTH}) else MEASURES.spec(value)


Scorer = Annotated[
    Spec,
    PlainValidator(_scorer, json_schema_input_type=Annotated[Spec, MEASURES.choice]),
    PlainSerializer(lambda spec: spec.model_dump()),
]


class Masking(Strict):
    """The `share` of each text's tokens that a measure scores highest is overwritten by `<unk>`.

    This is done in all splits, and the model of the experiment is trained on what is left (Hooker et
    al. 2019, ROAR). `measure` is any measure, at the model that the same experiment trains on whole
    texts, or `truth`: the marks of the tokens that decide. What is to be different about that model
    stands in `model`. With `recursive`, a step such as 0.1, the measure is taken anew at every multiple
    of the step below the share, by a model that was trained on the texts as they are masked there
    (Madsen et al. 2022). A measure that is drawn, as `random`, is drawn anew for every seed.
    """

    measure: Scorer = MEASURES.spec("attention")
    share: Share = 0.1
    recursive: Step | None = None
    model: InlineExperiment = Field(default_factory=dict)

    @property
    def by_truth(self) -> bool:
        """Whether the tokens are those that are known to decide."""
        return self.measure.type == TRUTH

    @property
    def taken_anew(self) -> bool:
        """Whether the measure depends on the step: some never look at a model."""
        asks_model = not self.by_truth and MEASURES[self.measure.type].facts["asks_model"]
        return self.recursive is not None and asks_model

    @property
    def before(self) -> float:
        """The share that is masked when the measure is taken for the last time; 0 is none of it."""
        if self.recursive is None or not self.taken_anew:
            return 0.0
        # Less a hair: 0.3 is three steps of 0.1, and not a little more.
        steps = math.ceil(self.share / self.recursive - 1e-9) - 1
        return round(max(steps, 0) * self.recursive, 9)

    @property
    def scored_again(self) -> bool:
        """Whether the model of these texts may say what is masked of others, and is worth keeping."""
        return self.share == 0 or (self.taken_anew and self.share < 1)

    @property
    def words(self) -> str:
        """What tables call it."""
        again = f", anew every {self.recursive:.0%}" if self.taken_anew else ""
        return f"{self.share:.0%} masked by {self.measure.title}{again}"
