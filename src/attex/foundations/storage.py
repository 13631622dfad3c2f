"""Files that are whole or absent: atomic writes, locks that die with their process, safetensors."""

import contextlib
import fcntl
import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file


def digest(value: Any) -> str:
    """Hash anything that JSON can hold; equal values give equal hashes on every machine."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def digest_file(path: Path) -> str:
    """Hash the content of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:20]


def write_text(path: Path, text: str) -> None:
    """Write a file so that a reader sees all of it or none."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


def write_json(path: Path, value: Any) -> None:
    """Write JSON that a person can read."""
    write_text(path, json.dumps(finite(value), indent=2, ensure_ascii=False) + "\n")


def finite(value: Any) -> Any:
    """Replace NaN and infinities, which JSON has no word for, by None."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_json(path: Path) -> Any:
    """Read a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def write_tensors(
    path: Path, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any] | None = None
) -> None:
    """Write tensors and JSON facts as one safetensors file, whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    save_file(plain, partial, metadata={"facts": json.dumps(facts or {})})
    os.replace(partial, path)


def read_tensors(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Read what `write_tensors` wrote."""
    with safe_open(path, framework="pt") as file:
        facts = json.loads((file.metadata() or {}).get("facts", "{}"))
        return {name: file.get_tensor(name) for name in file.keys()}, facts  # noqa: SIM118


@contextlib.contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold a lock file; the system lets go of it however the process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
