"""Small experiments for tests of the command line."""

import json
from collections.abc import Callable
from pathlib import Path

Attex = Callable[..., tuple[int, str, str]]

TINY = {
    "data": {"type": "planted", "task": "keyword", "sizes": [40, 20, 20]},
    "model": {"embedding_width": 8, "encoder": {"type": "lstm", "hidden": 4}},
    "trainer": {"epochs": 1},
}
CSV = "text,label,part\n" + "".join(
    f"{mood} day,{mood},{part}\n" for part in ("train", "dev", "test") for mood in ("good", "bad")
)
OWN = {"data": {"type": "csv", "path": "own.csv", "split": "part"}, "model": TINY["model"]}


def write(name: str, content: object) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
