"""Names of quantities: which mean the same."""

import math

import pytest

from attex.agreement.statistic import STATISTICS
from attex.claims.quantities import is_counted, key_of, limits, projection_of, widest


@pytest.mark.parametrize(
    ("ours", "ledger"),
    [
        ("kendall_tau(attention, gradient)", "kendall_tau(attention, gradient)"),
        ("kendall_tau(gradient, attention)", "kendall_tau(attention, gradient)"),
        (
            "kendall_tau(attention, gradient(detach_attention=False, target=gold_loss))",
            "kendall_tau(attention, gradient)",
        ),
        (
            "top_k_published(k=non_zero)(attention, gradient(target=f(a=1)))",
            "top_k_published(k=non_zero)(attention, gradient)",
        ),
        (
            "kendall_tau(attention, gradient_norm[hidden])",
            "kendall_tau(attention, gradient_norm[hidden])",
        ),
        ("entropy(influence on states)", "entropy(influence on states)"),
        ("jsd_max(search)[0-0.25] median", "jsd_max(search)[0-0.25] median"),
        ("accuracy", "accuracy"),
    ],
)
def test_the_same_under_other_options_or_in_another_order(ours: str, ledger: str) -> None:
    assert key_of(ours) == key_of(ledger)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("top_k(k=5)(attention, gradient)", "top_k(k=10)(attention, gradient)"),
        ("kendall_tau(attention, gradient)", "spearman(attention, gradient)"),
        ("kendall_tau(attention, gradient)", "kendall_tau(attention, gradient) calibrated"),
        ("kendall_tau(attention, gradient_norm)", "kendall_tau(attention, gradient_norm[hidden])"),
        ("jsd_max(search)[0-0.25] median", "jsd_max(search)[0.25-0.5] median"),
        ("jsd_max(search)", "jsd_max(search)[0-0.25] median"),
        ("accuracy(lambda=0.1)", "accuracy"),
        ("kendall_tau(lambda, entropy(gradient_norm))", "kendall_tau(lambda, entropy(gradient))"),
    ],
)
def test_what_is_not_the_same(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)


def test_kinds_of_quantities() -> None:
    assert {widest(q) for q in ("accuracy", "f1", "f1_macro", "roc_auc", "pr_auc")} == {0.02}
    assert {widest(q) for q in ("kendall_tau(a, b)", "jsd_max(search)", "median_output_change")} == {0.1}
    assert is_counted("n_train")
    assert not is_counted("accuracy")
    assert projection_of("softmax_over_padding") == "softmax"
    assert projection_of("sparsemax") == "sparsemax"


@pytest.mark.parametrize(
    ("quantity", "least", "most"),
    [
        ("accuracy", 0, 1),
        ("f1(guide=lstm)", 0, 1),
        ("auprc(attention)", 0, 1),
        ("jsd_max(search)[0.25-0.5] median", 0, math.log(2)),
        ("median_output_change[0.25-0.5] median", 0, 1),
        ("median_output_change[0.25-0.5] n", -math.inf, math.inf),
        ("kept_epoch", -math.inf, math.inf),
        ("lambda", -math.inf, math.inf),
        ("comprehensiveness(attention)", -math.inf, math.inf),
        *((f"{name}(attention, gradient)", -1, 1) for name in ("kendall_tau", "top_k(k=5)")),
    ],
)
def test_no_interval_goes_beyond_what_a_number_can_be(quantity: str, least: float, most: float) -> None:
    assert limits(quantity) == pytest.approx((least, most))


def test_the_limits_of_every_statistic_are_known() -> None:
    for statistic in STATISTICS:
        assert limits(f"{statistic.name}(attention, gradient)")[1] == 1
