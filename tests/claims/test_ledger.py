"""The ledger: numbers that stand in the papers, in the words of the house."""

import pytest

from attex.agreement.statistic import STATISTICS
from attex.analyses.dispersion import STATES
from attex.claims.ledger import PAPERS, published
from attex.data.reader import READERS
from attex.importance.measure import MEASURES
from attex.models.attention import ATTENTIONS
from attex.models.encoder import ENCODERS
from attex.models.projection import PROJECTIONS

METRICS = {"accuracy", "roc_auc", "pr_auc", "f1_macro"}


def test_every_claim_is_about_something_there_is() -> None:
    claims = published()
    assert len({claim.claim for claim in claims}) == len(claims)
    for claim in claims:
        assert claim.paper in PAPERS
        assert claim.dataset in READERS
        assert claim.encoder in ENCODERS
        assert claim.attention in ATTENTIONS
        assert claim.projection in PROJECTIONS
        if claim.quantity in METRICS:
            assert (claim.measure_a, claim.measure_b) == ("", "")
        elif claim.quantity == "dispersion":
            assert (claim.measure_a, claim.measure_b) == (STATES, "")
        elif claim.measure_a == "sparsegen lambda":
            assert (claim.location, claim.projection) == ("Table 2", "sparsegen")
        else:
            assert claim.quantity in STATISTICS
            assert claim.measure_a in MEASURES
            assert claim.measure_b in MEASURES
            assert -1 <= claim.mean <= 1


@pytest.mark.parametrize(
    ("location", "dataset", "k", "measure", "class_", "mean", "std"),
    [
        ("Table 2", "sst", "non_zero", "gradient", "positive", 0.824, 0.397),
        ("Table 2", "imdb", "non_zero", "leave_one_out", "negative", 0.910, 0.315),
        ("Table 1", "imdb", "", "gradient", "negative", 0.319, 0.167),
    ],
)
def test_numbers_are_those_of_the_paper(
    location: str, dataset: str, k: str, measure: str, class_: str, mean: float, std: float
) -> None:
    (claim,) = published(
        paper="neely_schouten_2020",
        location=location,
        dataset=dataset,
        attention="tanh",
        k=k,
        measure_b=measure,
        class_=class_,
    )
    assert (claim.mean, claim.std) == (mean, std)


def test_a_field_that_is_not_there_is_named() -> None:
    with pytest.raises(TypeError, match="no datset"):
        published(datset="sst")


@pytest.mark.parametrize(
    ("location", "about", "mean", "std"),
    [
        (
            "Table 1",
            {"dataset": "20news", "encoder": "transformer", "projection": "softmax"},
            0.48,
            0.06,
        ),
        ("Table 2", {"dataset": "imdb", "encoder": "lstm"}, -0.935, None),
        ("Table 3", {"dataset": "sst", "encoder": "transformer"}, 0.79, None),
        (
            "Table 6",
            {
                "dataset": "sst",
                "encoder": "lstm",
                "projection": "softmax",
                "measure_b": "leave_one_out[hidden]",
            },
            0.49,
            0.17,
        ),
    ],
)
def test_meisters_numbers(location: str, about: dict[str, str], mean: float, std: float | None) -> None:
    (claim,) = published(paper="meister_2021", location=location, **about)
    assert (claim.mean, claim.std) == (mean, std)
