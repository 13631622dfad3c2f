"""What sparse attention changes."""

from attex.studies.conclusion import CONCLUSIONS, Conclusion, Number, agreement

_STATISTIC = "kendall_tau"
_SPARSE, _DENSE = {"projection": "sparsemax"}, {"projection": "softmax"}


@CONCLUSIONS.register("sparsemax_above_softmax", cite="Neely & Schouten 2020, Table 2")
def sparsemax_above_softmax(*, measure: str = "gradient", statistic: str = _STATISTIC) -> Conclusion:
    """Attention agrees more with a measure under sparsemax than under softmax, as printed.

    τ(attention, measure) under `sparsemax` less the same under `softmax` > 0. Ties put a ceiling on
    what sparse weights can reach, so this compares numbers with different ceilings.
    """
    return _sparser(f"attention agrees more with {measure} under sparsemax", statistic, measure, "")


@CONCLUSIONS.register("sparsemax_above_softmax_calibrated", cite="attex, after Neely & Schouten 2020")
def sparsemax_above_softmax_calibrated(
    *, measure: str = "gradient", statistic: str = _STATISTIC
) -> Conclusion:
    """Under sparsemax, attention agrees with more of what could be reached than under softmax.

    The calibrated τ(attention, measure), Σ(τ − null) / Σ(ceiling − null) over texts, under
    `sparsemax` less the same under `softmax` > 0.
    """
    sentence = f"attention comes nearer to the most it could agree with {measure} under sparsemax"
    return _sparser(sentence, statistic, measure, " calibrated")


@CONCLUSIONS.register(
    "sparsemax_above_softmax_beyond_permuted", cite="attex, after Neely & Schouten 2020"
)
def sparsemax_above_softmax_beyond_permuted(
    *, measure: str = "gradient", statistic: str = _STATISTIC
) -> Conclusion:
    """Under sparsemax, attention agrees more beyond what permuted weights give than under softmax.

    Σ(τ − τ′) / Σ(ceiling − null) over texts, with τ′ of the same model under its own weights
    permuted, under `sparsemax` less the same under `softmax` > 0. What weights agree with a gradient
    because they are its factor is in both terms, and goes.
    """
    sentence = f"attention agrees more with {measure} beyond permuted weights under sparsemax"
    return _sparser(sentence, statistic, measure, " beyond permuted")


@CONCLUSIONS.register("sparsity_concentrates_the_gradient", cite="Meister et al. 2021, §4, Table 2")
def sparsity_concentrates_the_gradient(*, measure: str = "gradient") -> Conclusion:
    """Importance is concentrated on fewer words under sparsemax than under softmax.

    The normalised entropy of the measure over the words of a text under `softmax` less the same under
    `sparsemax` > 0. The paper asks this and finds no such trend; the sign of its table says the
    opposite of its text. Its measure is `gradient_norm`.
    """
    names = (f"entropy({measure})",)
    return Conclusion(
        f"{measure} is concentrated on fewer words under sparsemax than under softmax",
        more=Number(names, _DENSE),
        less=Number(names, _SPARSE),
    )


def _sparser(sentence: str, statistic: str, measure: str, ending: str) -> Conclusion:
    return Conclusion(
        f"{sentence} than under softmax",
        more=agreement(statistic, "attention", measure, ending, _SPARSE),
        less=agreement(statistic, "attention", measure, ending, _DENSE),
    )
