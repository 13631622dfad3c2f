"""Charts of more curves than can be told apart."""

import json

import numpy as np
import vl_convert

from attex.charts.density import density_chart, density_rows


def test_of_very_many_curves_the_first_are_drawn_and_the_title_says_so() -> None:
    values = np.linspace(-0.5, 0.5, 9)
    points = [point for n in range(900) for point in density_rows(f"pair {n}", values)[::20]]
    ceilings = {f"pair {n}": 0.9 for n in range(900)}
    chart = density_chart(points, "Agreement", "kendall_tau", ceilings=ceilings)
    drawn = vl_convert.vegalite_to_svg(json.dumps(chart))
    assert "Agreement: the first 40 of 900" in drawn
    assert "pair 39" in drawn
    assert "pair 40" not in drawn
