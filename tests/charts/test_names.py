"""Names beside dots: measured in the picture that a reader sees."""

import itertools
import json
import re

import numpy as np
import pytest
import vl_convert

from attex.charts.names import places
from attex.charts.style import WIDE
from attex.charts.use_of_attention import use_of_attention_chart

NAN = float("nan")
ENDS = dict.fromkeys(("jsd_low", "jsd_high", "lost_low", "lost_high"), NAN)


def drawn(points: dict[str, tuple[float, float]]) -> list[tuple[str, float, float, float]]:
    """Return each name with its left end, its right end and its height in the picture, in pixels."""
    rows = [
        {"name": name, "version": version, "lost": lost, "jsd": jsd} | ENDS
        for version in ("trained", "put in")
        for name, (lost, jsd) in points.items()
    ]
    svg = vl_convert.vegalite_to_svg(json.dumps(use_of_attention_chart(rows, "Use")))
    texts = re.findall(
        r'text-anchor="(start|end)"[^>]*transform="translate\(([-\d.]+),([-\d.]+)\)"[^>]*>([^<]*)<', svg
    )
    found = []
    for anchor, x, y, name in texts:
        if name in points:
            length = 5.5 * len(name)
            left = float(x) - length * (anchor == "end")
            found.append((name, left, left + length, float(y)))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_no_name_covers_another_where_many_models_are_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Eight models within a hundredth of each other, as those of one dataset are, and eight elsewhere.
    near = rng.uniform(0, 0.01, (8, 2))
    far = np.column_stack([rng.uniform(-0.1, 0.4, 8), rng.uniform(0, 0.69, 8)])
    points = {
        f"dataset encoder {i}": (float(x), float(y)) for i, (x, y) in enumerate(np.vstack([near, far]))
    }
    found = drawn(points)
    assert {name for name, *_ in found} == points.keys()
    for (_, left, right, y), (_, other_left, other_right, other_y) in itertools.combinations(found, 2):
        assert abs(y - other_y) >= 10 or right <= other_left or other_right <= left
    assert all(left >= 0 and right <= WIDE + 1 for _, left, right, _ in found)


def test_a_name_alone_stands_right_above_its_dot_and_turns_at_the_edge() -> None:
    alone = places([("model", 100, 100)], [(100, 100)], 600, 360)
    assert alone == [("left", 8, -6)]
    ((align, dx, _),) = places([("a long name", 590, 100)], [(590, 100)], 600, 360)
    assert (align, dx) == ("right", -8)
    ((_, _, dy),) = places([("model", 100, 2)], [(100, 2)], 600, 360)
    assert dy > 0, "above it would be cut"


def test_a_name_covers_no_other_dot_if_there_is_room() -> None:
    (place,) = places([("model", 100, 100)], [(100, 100), (120, 94)], 600, 360)
    assert place != ("left", 8, -6)
