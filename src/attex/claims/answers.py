"""Which command answers a published number: the experiment, among those that come with attex."""

from attex.claims.ledger import Claim
from attex.claims.reach import hindrance

_GRID = "jain_wallace_2019/{dataset}_{encoder}_{attention}"
_SOFTMAX = "softmax"
_EXPERIMENTS = {
    "jain_wallace_2019": _GRID,
    "wiegreffe_pinter_2019": _GRID,
    "neely_schouten_2020": "neely_schouten_2020/published",
    "meister_2021": "meister_2021/sweep",
    "neely_2022_court_of_xai": "neely_2022/{dataset}_{encoder}",
}
"""The experiments that follow a paper, by the names that `attex list experiment` has for them."""

_UNSAID = ("sparsegen",)
"""Projections of which a paper does not say the option that they have here."""


def command_for(claim: Claim) -> str | None:
    """Return the command whose run `attex claims --runs` judges a number by; None if there is none."""
    experiment = _EXPERIMENTS.get(claim.paper)
    if experiment is None or claim.projection in _UNSAID or hindrance(claim) is not None:
        return None
    command = f"attex run {experiment.format(**vars(claim))}"
    if experiment == _GRID and claim.projection != _SOFTMAX:
        # Under a name of its own: of an experiment that ran often, the last run counts.
        name = "_".join(claim.cell)
        command += f" -o name={name} -o model.attention.projection={claim.projection}"
    return command
