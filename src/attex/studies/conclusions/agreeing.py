"""With what attention agrees, how much, and in which models."""

from attex.studies.conclusion import CONCLUSIONS, Conclusion, Number, agreement

_STATISTIC = "kendall_tau"


@CONCLUSIONS.register("attention_below_leave_one_out", cite="Jain & Wallace 2019, §4.1, Fig. 4")
def attention_below_leave_one_out(*, statistic: str = _STATISTIC) -> Conclusion:
    """Attention agrees less with the gradient than leave-one-out does.

    τ(gradient, leave_one_out) − τ(attention, gradient) > 0, in the same model. On average over the
    paper's data the difference is about 0.25.
    """
    return Conclusion(
        "attention agrees less with the gradient than leave-one-out does",
        more=agreement(statistic, "gradient", "leave_one_out"),
        less=agreement(statistic, "attention", "gradient"),
    )


@CONCLUSIONS.register("attention_below_gradient", cite="Jain & Wallace 2019, §4.1, Fig. 3")
def attention_below_gradient(*, statistic: str = _STATISTIC) -> Conclusion:
    """Attention agrees less with leave-one-out than the gradient does.

    τ(gradient, leave_one_out) − τ(attention, leave_one_out) > 0, in the same model. On average over
    the paper's data the difference is above 0.2.
    """
    return Conclusion(
        "attention agrees less with leave-one-out than the gradient does",
        more=agreement(statistic, "gradient", "leave_one_out"),
        less=agreement(statistic, "attention", "leave_one_out"),
    )


@CONCLUSIONS.register("lstm_below_average", cite="Jain & Wallace 2019, §4.1, Fig. 5")
def lstm_below_average(*, measure: str = "gradient", statistic: str = _STATISTIC) -> Conclusion:
    """The BiLSTM's attention agrees less than that of a position-wise encoder.

    τ(attention, measure) under the encoder `average` less the same under `lstm` > 0. The paper's
    Fig. 5 has `leave_one_out` as the measure. Where states are position-wise, attention is a factor
    of the gradient, so that some of the difference is built in.
    """
    return _between("encoder", "average", "lstm", statistic, measure)


@CONCLUSIONS.register("tanh_above_sdp", cite="Neely & Schouten 2020, Figs. 1 and 2")
def tanh_above_sdp(*, measure: str = "gradient", statistic: str = _STATISTIC) -> Conclusion:
    """Additive (tanh) attention agrees more than scaled dot-product (sdp) attention.

    τ(attention, measure) under the attention `tanh` less the same under `sdp` > 0. The paper has it
    for lists of the highest scores, under sparsemax.
    """
    return _between("attention", "tanh", "sdp", statistic, measure)


@CONCLUSIONS.register("shuffled_attention_moves_little", cite="Jain & Wallace 2019, §4.2.1, Fig. 6")
def shuffled_attention_moves_little(*, threshold: float = 0.1) -> Conclusion:
    """Shuffled attention moves the output little.

    threshold − m > 0, with m the mean over texts of the median change of the output (TVD) over
    permutations of the weights. The paper says that many texts have a small change and draws no
    line. A tenth of the way from one certain output to the other is ours.
    """
    return Conclusion(
        f"shuffled attention moves the output by less than {threshold:g}",
        more=threshold,
        less=Number(("median_output_change",)),
    )


def _between(factor: str, more: str, less: str, statistic: str, measure: str) -> Conclusion:
    return Conclusion(
        f"attention agrees more with {measure} under the {factor} {more} than under {less}",
        more=agreement(statistic, "attention", measure, of={factor: more}),
        less=agreement(statistic, "attention", measure, of={factor: less}),
    )
