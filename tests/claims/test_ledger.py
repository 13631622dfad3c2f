"""The ledger: every number of the list it was made from, in the words of the house."""

import csv

import pytest
from source_rows import LIST, ledger_row

from attex.agreement.statistic import STATISTICS
from attex.analyses.dispersion import STATES
from attex.claims import ledger
from attex.claims.ledger import PAPERS, RECALLED, about, published
from attex.claims.reach import hindrance
from attex.data.reader import READERS, dataset_name
from attex.data.readers.deceptive import Deceptive
from attex.importance.measure import MEASURES
from attex.models.attention import ATTENTIONS
from attex.models.encoder import ENCODERS
from attex.models.projection import PROJECTIONS

METRICS = {"accuracy", "roc_auc", "pr_auc", "f1_macro", "f1"}
COUNTED = ("n_train", "n_dev", "n_test", "impermissible_share_of_tokens(test)")


@pytest.mark.skipif(not LIST.exists(), reason="needs the list of published numbers beside the checkout")
def test_the_ledger_has_every_number_of_the_list_with_its_source() -> None:
    with LIST.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    path = ledger.files("attex.claims").joinpath("ledger.csv")
    ours = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert len(ours) == len(rows) == 2652
    for mine, theirs in zip(ours, rows, strict=True):
        for name in ("claim", "paper", "location", "mean", "std", "note", "source"):
            assert mine[name] == theirs[name]
        assert mine["as_written"] == theirs["quantity"]
        assert mine["significant"] == theirs["sig_frac"]
        assert mine == ledger_row(theirs)


def test_every_claim_has_its_own_name_a_paper_and_a_source() -> None:
    claims = published()
    assert len({claim.claim for claim in claims}) == len(claims) == 2652
    assert {claim.paper for claim in claims} == set(PAPERS)
    assert all(claim.source for claim in claims)
    from_memory = published(source=RECALLED)
    assert {claim.paper for claim in from_memory} == {"wiegreffe_pinter_2019"}


BABI = {dataset_name(READERS.spec({"type": "babi", "task": task})) for task in (1, 2, 3)}


def test_what_can_be_answered_is_about_something_there_is() -> None:
    for claim in published():
        if hindrance(claim) is not None:
            continue
        head, _, inside = claim.quantity.partition("(")
        if claim.quantity in COUNTED:
            assert claim.dataset in Deceptive.__annotations__["task"].__args__
            continue
        assert claim.dataset in READERS or claim.dataset in BABI
        assert claim.encoder in ENCODERS
        assert claim.attention in ATTENTIONS
        assert claim.projection in PROJECTIONS
        if head == "entropy":
            assert inside == f"{STATES})"
        elif claim.quantity == "kendall_tau(lambda, entropy(gradient_norm))":
            assert (claim.location, claim.projection) == ("Table 2", "sparsegen")
        elif head in STATISTICS:
            measures = inside.rpartition("(")[2].removesuffix(")").split(", ")
            assert all(measure in MEASURES for measure in measures)
            assert -1 <= claim.mean <= 1
        else:
            known = ("jsd_max", "median_output_change")
            assert claim.quantity in METRICS or head.partition("[")[0] in known
            assert 0 <= claim.mean <= 1


def test_classes_have_names_where_ours_have() -> None:
    classes = {
        "sst": ("negative", "positive"),
        "imdb": ("negative", "positive"),
        "20news": ("baseball", "hockey"),
        "ag_news": ("world", "business"),
        "snli": ("contradiction", "entailment", "neutral"),
    }
    for dataset, names in classes.items():
        assert READERS[dataset].target().class_names() == names
        assert {claim.class_ for claim in published(dataset=dataset)} == {*names, "overall"}


@pytest.mark.parametrize(
    ("location", "dataset", "quantity", "class_", "mean", "std"),
    [
        ("Table 2", "sst", "top_k_published(k=non_zero)(attention, gradient)", "positive", 0.824, 0.397),
        (
            "Table 2",
            "imdb",
            "top_k_published(k=non_zero)(attention, leave_one_out)",
            "negative",
            0.910,
            0.315,
        ),
        ("Table 1", "imdb", "kendall_tau(attention, gradient)", "negative", 0.319, 0.167),
    ],
)
def test_numbers_are_those_of_the_paper(
    location: str, dataset: str, quantity: str, class_: str, mean: float, std: float
) -> None:
    (claim,) = published(
        paper="neely_schouten_2020",
        location=location,
        dataset=dataset,
        attention="tanh",
        quantity=quantity,
        class_=class_,
    )
    assert (claim.mean, claim.std) == (mean, std)


def test_a_field_that_is_not_there_is_named() -> None:
    with pytest.raises(TypeError, match="no datset"):
        published(datset="sst")


@pytest.mark.parametrize(
    ("location", "where", "mean", "std"),
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
                "quantity": "kendall_tau(attention, leave_one_out[hidden])",
            },
            0.49,
            0.17,
        ),
    ],
)
def test_meisters_numbers(location: str, where: dict[str, str], mean: float, std: float | None) -> None:
    (claim,) = published(paper="meister_2021", location=location, **where)
    assert (claim.mean, claim.std) == (mean, std)


def test_claims_are_found_by_what_they_are_about_whatever_the_options() -> None:
    cell = ("sst", "lstm", "tanh", "softmax")
    found = about(cell, "kendall_tau(attention, gradient(target=gold_loss))", "overall")
    assert [(claim.paper, claim.mean) for claim in found] == [("jain_wallace_2019", 0.3512)]
    assert about(cell, "spearman(attention, gradient)", "overall") == []
