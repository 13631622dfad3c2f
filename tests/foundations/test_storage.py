"""Files are whole or absent, hashes are stable, and what was changed is noticed."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attex.foundations.storage import (
    Damaged,
    digest,
    digest_file,
    read_json,
    read_tensors,
    write_json,
    write_tensors,
    write_text,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def reversed_keys(value: object) -> object:
    if isinstance(value, dict):
        return {key: reversed_keys(value[key]) for key in reversed(value)}
    return [reversed_keys(item) for item in value] if isinstance(value, list) else value


@given(JSON)
def test_digest_does_not_depend_on_the_order_of_keys_nor_on_a_trip_through_json(value: object) -> None:
    assert digest(value) == digest(reversed_keys(value)) == digest(json.loads(json.dumps(value)))


def test_digest_tells_values_apart() -> None:
    values = [{}, [], None, "", 0, 1, 1.5, "1", [1, 2], [2, 1], {"a": 1}, {"a": "1"}, {"b": 1}, "ä"]
    assert len({digest(value) for value in values}) == len(values)


def test_digest_is_the_sha256_of_sorted_compact_json() -> None:
    assert digest({"b": 1, "a": [2]}) == hashlib.sha256(b'{"a":[2],"b":1}').hexdigest()[:20]


def test_a_files_digest_is_that_of_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\x00bytes")
    assert digest_file(path) == hashlib.sha256(b"\x00bytes").hexdigest()[:20]


def test_writing_leaves_the_file_alone_in_its_folder(tmp_path: Path) -> None:
    write_text(tmp_path / "text", "grüße\n")
    write_json(tmp_path / "json", {"a": ["ü", None]})
    write_tensors(tmp_path / "tensors", {"x": torch.zeros(1)})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["json", "tensors", "text"]
    assert (tmp_path / "text").read_bytes() == "grüße\n".encode()
    assert json.loads((tmp_path / "json").read_text(encoding="utf-8")) == {"a": ["ü", None]}
    assert read_json(tmp_path / "json") == {"a": ["ü", None]}


def test_json_has_no_word_for_nan_and_infinities(tmp_path: Path) -> None:
    write_json(tmp_path / "json", {"a": [float("nan"), 1.5, (float("-inf"), 2)]})
    text = (tmp_path / "json").read_text()
    assert "NaN" not in text
    assert json.loads(text) == {"a": [None, 1.5, [None, 2]]}


def test_a_write_that_fails_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "text"
    write_text(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "new \ud800")
    assert path.read_text() == "old"


def test_tensors_come_back_to_the_bit_with_their_facts(tmp_path: Path) -> None:
    tensors = {
        "float": torch.tensor([[0.1, float("nan")], [float("inf"), -0.0]]),
        "double": torch.tensor([1 / 3], dtype=torch.float64),
        "int": torch.tensor([2**40, -1]),
        "bool": torch.tensor([True, False]),
        "strided": torch.arange(12).reshape(3, 4).T[1:],
        "empty": torch.zeros(0, 3),
    }
    facts = {"epoch": 3, "history": [{"loss": 0.5}], "best": float("-inf"), "name": "ü"}
    write_tensors(tmp_path / "file", tensors, facts)
    found, about = read_tensors(tmp_path / "file")
    assert about == facts
    assert found.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert found[name].dtype == tensor.dtype
        torch.testing.assert_close(found[name], tensor, rtol=0, atol=0, equal_nan=True)


def test_tensors_without_facts_have_none(tmp_path: Path) -> None:
    write_tensors(tmp_path / "file", {"x": torch.ones(2, requires_grad=True)})
    assert read_tensors(tmp_path / "file")[1] == {}


@pytest.mark.parametrize("place", range(0, 700, 7))
def test_a_changed_byte_of_a_tensor_file_is_noticed(place: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_tensors(path, {"x": torch.arange(40.0), "y": torch.ones(3, dtype=torch.bool)}, {"a": 1})
    content = bytearray(path.read_bytes())
    place %= len(content)
    content[place] ^= 4
    path.write_bytes(content)
    with pytest.raises(Damaged, match=re.escape(str(path))):
        read_tensors(path)


@pytest.mark.parametrize("read", [read_json, read_tensors])
@pytest.mark.parametrize("content", [b"", b"{", b'{"a": ', b"\xff\xfe", b"\x00" * 64, b"[" * 10_000])
def test_a_file_cut_off_is_named_in_one_line(
    read: Callable[[Path], object], content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(Damaged) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("read", [read_json, read_tensors])
def test_a_file_that_is_gone_is_named(read: Callable[[Path], object], tmp_path: Path) -> None:
    with pytest.raises(Damaged, match="it is gone"):
        read(tmp_path / "file")
