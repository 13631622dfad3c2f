"""Files that are whole or absent, and that tell when they were changed: JSON and safetensors."""

import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from attex.foundations.errors import UserError

PARTIAL = ".partial"
"""How the name of what is still being written ends."""


class Damaged(UserError):
    """A file is not what was written: cut off, changed or gone; the message names it."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path} is damaged: {why}")


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
    partial = path.with_name(path.name + PARTIAL)
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


def write_json(path: Path, value: Any) -> None:
    """Write JSON that a person can read."""
    write_text(path, json_text(value))


def json_text(value: Any) -> str:
    """Return JSON as `write_json` writes it."""
    return json.dumps(finite(value), indent=2, ensure_ascii=False) + "\n"


def finite(value: Any) -> Any:
    """Replace NaN and infinities, which JSON has no word for, by None."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_json(path: Path) -> Any:
    """Read a JSON file, or raise `Damaged`."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Damaged(path, "it is gone") from None
    except (ValueError, RecursionError) as error:
        raise Damaged(path, f"it is no JSON ({error})") from None


def write_tensors(
    path: Path, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any] | None = None
) -> None:
    """Write tensors and JSON facts as one safetensors file, whole or not at all."""
    partial = path.with_name(path.name + PARTIAL)
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    told = json.dumps(facts or {})
    # One entry only: several would be written in any order, and equal tensors as unequal files.
    about = json.dumps({"digest": _digest_tensors(plain, told), "facts": told})
    save_file(plain, partial, metadata={"attex": about})
    os.replace(partial, path)


def read_tensors(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Read what `write_tensors` wrote, or raise `Damaged` if it is no longer that."""
    try:
        with safe_open(path, framework="pt") as file:
            about = json.loads((file.metadata() or {}).get("attex", "{}"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise Damaged(path, "it is gone") from None
    except (SafetensorError, ValueError) as error:
        raise Damaged(path, f"it cannot be read ({error})") from None
    told = about.get("facts", "{}")
    if about.get("digest") != _digest_tensors(tensors, told):
        raise Damaged(path, "it is not what was written")
    return tensors, json.loads(told)


def _digest_tensors(tensors: Mapping[str, torch.Tensor], told: str) -> str:
    known = hashlib.sha256(told.encode())
    for name in sorted(tensors):
        value = tensors[name]
        known.update(f"{name} {value.dtype} {tuple(value.shape)}".encode())
        if value.numel():
            known.update(value.reshape(-1).view(torch.uint8).numpy().data)
    return known.hexdigest()[:20]
