"""Conclusions say what they need before any training, and each is the sign of the right difference."""

import numpy as np
import pytest
from simulated import CELL, TAU, cell, study

from attex.studies.conclusion import (
    CONCLUSIONS,
    Conclusion,
    Number,
    agreement,
    concluded,
    missing,
    possible,
)
from attex.studies.paired import paired

ENCODERS = [CELL, CELL | {"encoder": "average"}]
PAIR = "kendall_tau({}, {})"
EVERY_QUANTITY = {
    *(PAIR.format(*pair) for pair in (("attention", "gradient"), ("attention", "leave_one_out"))),
    PAIR.format("gradient", "leave_one_out"),
    *(f"{TAU}{ending}" for ending in (" calibrated", " beyond permuted")),
    "median_output_change",
    "entropy(gradient)",
    "entropy(influence on states)",
    "own_share",
    "own_first",
}
EVERY_CELL = [
    CELL | {"encoder": encoder, "attention": attention, "projection": projection}
    for encoder in ("lstm", "average")
    for attention in ("tanh", "sdp")
    for projection in ("softmax", "sparsemax")
]
# Where the first number is above the second the conclusion holds: quantity and what differs in the cell.
CLAIMS = {
    "attention_below_leave_one_out": ((PAIR.format("gradient", "leave_one_out"), {}), (TAU, {})),
    "attention_below_gradient": (
        (PAIR.format("gradient", "leave_one_out"), {}),
        (PAIR.format("attention", "leave_one_out"), {}),
    ),
    "lstm_below_average": ((TAU, {"encoder": "average"}), (TAU, {"encoder": "lstm"})),
    "tanh_above_sdp": ((TAU, {"attention": "tanh"}), (TAU, {"attention": "sdp"})),
    "shuffled_attention_moves_little": (0.1, ("median_output_change", {})),
    "sparsemax_above_softmax": ((TAU, {"projection": "sparsemax"}), (TAU, {})),
    "sparsemax_above_softmax_calibrated": (
        (f"{TAU} calibrated", {"projection": "sparsemax"}),
        (f"{TAU} calibrated", {}),
    ),
    "sparsemax_above_softmax_beyond_permuted": (
        (f"{TAU} beyond permuted", {"projection": "sparsemax"}),
        (f"{TAU} beyond permuted", {}),
    ),
    "sparsity_concentrates_the_gradient": (
        ("entropy(gradient)", {}),
        ("entropy(gradient)", {"projection": "sparsemax"}),
    ),
    "states_spread_over_words": (("entropy(influence on states)", {}), 0.5),
    "states_stand_for_more_than_their_words": (0.5, ("own_share", {})),
    "own_word_is_seldom_first": (0.5, ("own_first", {})),
}


def test_every_conclusion_is_tried_here() -> None:
    assert set(CLAIMS) == {entry.name for entry in CONCLUSIONS}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_conclusion_holds_on_the_side_that_it_claims_and_no_other(name: str) -> None:
    conclusion = concluded(CONCLUSIONS.spec(name))
    for sign, verdict in ((1, "holds"), (-1, "reversed")):
        more, less = (
            (side if isinstance(side, float) else 0.3 + sign * difference / 2)
            for side, difference in zip(CLAIMS[name], (1, -1), strict=True)
        )
        if isinstance(CLAIMS[name][0], float):
            less = more - sign * 0.05
        if isinstance(CLAIMS[name][1], float):
            more = less + sign * 0.05
        cells: dict[tuple[tuple[str, str], ...], dict[str, np.ndarray]] = {}
        for side, value in zip(CLAIMS[name], (more, less), strict=True):
            if not isinstance(side, float):
                whole = tuple((CELL | side[1]).items())
                cells.setdefault(whole, {})[side[0]] = np.full((1, 2), value)
        (one,) = paired(study(*(cell(v, **dict(where)) for where, v in cells.items())), conclusion)
        assert one.verdict.tolist() == [verdict]
        assert one.bounds.value == pytest.approx(more - less)


@pytest.mark.parametrize("name", CLAIMS)
def test_every_conclusion_says_in_a_sentence_what_holds_and_whose_it_is(name: str) -> None:
    entry = CONCLUSIONS[name]
    conclusion = concluded(CONCLUSIONS.spec(name))
    assert entry.cite
    assert "> 0" in (entry.target.__doc__ or ""), "the docstring gives the difference"
    assert " " in conclusion.sentence
    assert conclusion.sentence[0].islower()


def test_a_study_that_has_all_misses_nothing() -> None:
    assert set(possible(EVERY_QUANTITY, EVERY_CELL)) == set(CLAIMS)
    for name in CLAIMS:
        conclusion = concluded(CONCLUSIONS.spec(name))
        assert missing(name, conclusion, EVERY_QUANTITY, EVERY_CELL) is None


def test_a_quantity_that_no_analysis_gives_is_named_with_what_is_near() -> None:
    conclusion = concluded(CONCLUSIONS.spec("sparsemax_above_softmax_calibrated"))
    assert missing("q", conclusion, {TAU}, EVERY_CELL) == (
        f"conclusion 'q' needs the quantity '{TAU} calibrated', which no analysis of this study gives;"
        f" did you mean '{TAU}'?"
    )


def test_a_partner_that_is_not_there_is_named() -> None:
    conclusion = concluded(CONCLUSIONS.spec("lstm_below_average"))
    for cells in ([CELL], [CELL, CELL | {"encoder": "average", "attention": "sdp"}]):
        said = missing("q", conclusion, EVERY_QUANTITY, cells)
        assert said is not None
        assert said.startswith("conclusion 'q' compares encoder 'average' with 'lstm', and no two cells")
        assert "\n" not in said
    assert missing("q", conclusion, EVERY_QUANTITY, ENCODERS) is None


def test_a_conclusion_about_some_cells_says_so_where_there_are_none() -> None:
    conclusion = Conclusion("", Number((TAU,), {"encoder": "gru"}), 0.0)
    said = missing("q", conclusion, {TAU}, [CELL])
    assert said == "conclusion 'q' is about cells with encoder 'gru', and this study has none"


def test_measures_may_stand_in_either_order() -> None:
    number = agreement("kendall_tau", "gradient", "attention", " calibrated")
    assert number.known_as({f"{TAU} calibrated"}) == f"{TAU} calibrated"
    assert number.known_as({TAU}) is None


def test_options_choose_measure_statistic_and_threshold() -> None:
    chosen = CONCLUSIONS.spec({"type": "lstm_below_average", "measure": "leave_one_out"})
    (more, _) = concluded(chosen).numbers
    assert PAIR.format("attention", "leave_one_out") in more.names
    assert chosen.title == "lstm_below_average(measure=leave_one_out)"
    strict = concluded(CONCLUSIONS.spec({"type": "shuffled_attention_moves_little", "threshold": 0.01}))
    assert strict.more == 0.01
    assert "0.01" in strict.sentence


def test_sides_that_differ_in_two_factors_are_no_conclusion() -> None:
    with pytest.raises(ValueError, match="one factor"):
        Conclusion(
            "",
            Number(("x",), {"encoder": "lstm", "attention": "tanh"}),
            Number(("x",), {"encoder": "cnn", "attention": "sdp"}),
        )
    with pytest.raises(ValueError, match="about a quantity"):
        Conclusion("", 1.0, 0.0)
