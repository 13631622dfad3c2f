"""What can be measured here, what cannot, and that every number has a reason."""

from collections import Counter

from attex.claims.ledger import Claim, published
from attex.claims.reach import AT_HAND, hindrance
from attex.claims.verdict import Verdict

PAIRS = {"snli", "babi_1", "babi_2", "babi_3"}


def at_hand() -> list[Claim]:
    return [claim for claim in published() if claim.dataset in AT_HAND]


def test_the_numbers_on_data_at_hand_are_counted() -> None:
    assert len(at_hand()) == 1418, "occupation aside, of which the training texts are missing"
    assert "occupation" not in AT_HAND


def test_a_number_off_the_data_at_hand_cannot_be_measured() -> None:
    for claim in published():
        why = hindrance(claim)
        if claim.dataset not in AT_HAND:
            assert why is not None
            assert why.reason
        elif why is not None:
            assert why.verdict is Verdict.NOT_RUN, "of data at hand none is not public"
            assert why.reason.startswith("needs ")


def test_who_needs_what() -> None:
    """The rule by rule count, against counts by other fields of the same rows."""
    found = Counter(why.reason for claim in at_hand() if (why := hindrance(claim)))
    pretrained = [c for c in at_hand() if c.encoder in ("bert", "distilbert", "roberta")]
    theirs = [c for c in pretrained if c.paper == "neely_2022_court_of_xai"]
    (of_theirs,) = {hindrance(c).reason for c in theirs}  # type: ignore[union-attr]
    assert of_theirs.startswith("needs their Transformer")
    assert (len(theirs), found[of_theirs]) == (45, 45)
    of_others = found["needs a run with a pretrained encoder of this kind"]
    assert of_others == len(pretrained) - len(theirs)
    others = [c for c in at_hand() if c not in pretrained]
    for start, reason in (
        ("racu_recursive:attention", "needs a run of the study of ROAR"),
        ("racu_recursive:input_x_gradient", "needs a run of the study of ROAR"),
        ("racu_recursive:gradient", "needs a run of the study of ROAR"),
        ("adversary_frozen", "needs a run of the study of adversaries"),
        ("guide_mlp:", "needs a run of the study of guides"),
    ):
        fits = [c for c in others if c.as_written.startswith(start) and hindrance(c)]
        assert fits
        assert {hindrance(c).reason for c in fits} == {reason}  # type: ignore[union-attr]


def test_what_is_left_can_be_measured() -> None:
    left = [claim for claim in published() if hindrance(claim) is None]
    by_paper = Counter(claim.paper for claim in left)
    assert by_paper == {
        "jain_wallace_2019": 989,
        "meister_2021": 72,
        "neely_schouten_2020": 56,
        "neely_2022_court_of_xai": 45,
        "wiegreffe_pinter_2019": 16,
        "pruthi_2020": 8,
    }
    # Jain & Wallace: everything on data at hand, but of a word that has a number only. Neely &
    # Schouten: everything.
    jain_wallace = [c for c in published(paper="jain_wallace_2019") if c.dataset in AT_HAND]
    nameless = [c for c in jain_wallace if c.class_.isdecimal()]
    assert {(c.dataset, c.class_) for c in nameless} == {("babi_2", "9")}
    assert len(jain_wallace) - len(nameless) == by_paper["jain_wallace_2019"]
    assert len(published(paper="neely_schouten_2020")) == by_paper["neely_schouten_2020"]


def test_numbers_read_off_figures() -> None:
    figures = [c for c in published() if c.source == "geometry of the authors' released figures"]
    assert len(figures) == 1173
    open_ones = [c for c in figures if hindrance(c) is None]
    assert {c.dataset for c in open_ones} == {"sst", "imdb", "20news", "ag_news"} | PAIRS
    assert {c.quantity.partition("[")[0] for c in open_ones} == {
        "jsd_max(search)",
        "median_output_change",
        "f1",
    }
