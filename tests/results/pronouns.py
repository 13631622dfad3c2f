"""Files of Pruthi et al.'s first task with a few short texts, and a small study of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

STUDY: dict[str, Any] = {
    "study": "deception",
    "base": {
        "data": {"type": "deceptive", "task": "pronoun", "markers": False},
        "model": {"embedding_width": 4, "encoder": "embedding", "attention": "linear"},
        "trainer": {"epochs": 1},
    },
    "weights": [0, 0.1, 1],
    "seeds": [0, 1],
}


def write_texts(data: Path) -> Path:
    """Write the texts of the task and return the data folder."""
    rng = np.random.default_rng(0)
    folder = data / "deceptive" / "pronoun"
    folder.mkdir(parents=True)
    for split, count in (("train", 60), ("dev", 20), ("test", 20)):
        women = rng.integers(0, 2, count)
        lines = ["F\tthen she went home\n" if one else "M\tthen he went home\n" for one in women]
        (folder / f"{split}.txt").write_text("".join(lines))
    return data


def write_study(place: Path, name: str, **changes: Any) -> None:
    """Write the study as plain JSON, which Jsonnet is as well."""
    place.mkdir(exist_ok=True)
    (place / f"{name}.jsonnet").write_text(json.dumps(STUDY | changes))
