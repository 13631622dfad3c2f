"""Whether a hidden state stands for the word at its place."""

from attex.studies.conclusion import CONCLUSIONS, Conclusion, Number

_POSITION_WISE = {"encoder": "average"}
"""The states of this encoder stand for their words by construction: it is not asked."""


@CONCLUSIONS.register("states_spread_over_words", cite="Meister et al. 2021, §4, Table 1")
def states_spread_over_words(*, threshold: float = 0.5) -> Conclusion:
    """Influence on a hidden state is spread over many words.

    H − threshold > 0, with H the mean normalised entropy of the influence of words on a state: 0 for
    one word, 1 for all alike. The paper calls .46 to .93 consistently high and draws no line; one
    half is ours.
    """
    return Conclusion(
        f"influence on hidden states is spread over words (normalised entropy above {threshold:g})",
        more=Number(("entropy(influence on states)",)),
        less=threshold,
        unless=_POSITION_WISE,
    )


@CONCLUSIONS.register("states_stand_for_more_than_their_words", cite="Meister et al. 2021, §4")
def states_stand_for_more_than_their_words(*, threshold: float = 0.5) -> Conclusion:
    """Hidden states stand for more than their words.

    threshold − o > 0, with o the mean share of a state's own word in the influence on it. Below one
    half, most comes from other words. The paper says that inputs and states are not interchangeable;
    the line is ours.
    """
    return Conclusion(
        f"a hidden state's own word has less than {threshold:g} of the influence on it",
        more=threshold,
        less=Number(("own_share",)),
        unless=_POSITION_WISE,
    )


@CONCLUSIONS.register("own_word_is_seldom_first", cite="attex, after Brunner et al. 2020")
def own_word_is_seldom_first(*, threshold: float = 0.5) -> Conclusion:
    """Another word than its own has the most influence on most hidden states.

    threshold − f > 0, with f the share of states on which no word has more influence than their own.
    It asks more than that the own word has less than half: a state with little of every word may
    still have most of its own. The line is ours.
    """
    return Conclusion(
        f"a hidden state's own word is the first on less than {threshold:g} of the states",
        more=threshold,
        less=Number(("own_first",)),
        unless=_POSITION_WISE,
    )
