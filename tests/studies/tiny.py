"""A study whose models train in a moment."""

from typing import Any

BASE: dict[str, Any] = {
    "data": {"type": "planted", "sizes": [40, 20, 20]},
    "model": {"embedding_width": 4, "encoder": {"type": "average", "hidden": 2}},
    "trainer": {"epochs": 1},
    "importance": ["attention", "gradient", "leave_one_out"],
    "analyses": ["agreement", "permutation"],
}
CHOICES: dict[str, Any] = {
    "trainer.learning_rate": [0.001, 0.1],
    "model.encoder.hidden": [2, 3],
}


def study(**changes: Any) -> dict[str, Any]:
    """Return a sweep of four settings and two seeds, with changes."""
    return {"study": "sweep", "base": BASE, "choices": CHOICES, "seeds": [0, 1]} | changes
