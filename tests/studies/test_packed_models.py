"""Models that are packed here and unpacked elsewhere: the same models, or a line that says why not."""

import io
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tiny import study

from attex.foundations.errors import UserError
from attex.runner.cache import Cache, record_text, verified
from attex.runner.engine import choose_engine
from attex.runner.packing import Unpacked, pack, packed_keys, unpack
from attex.runner.workspace import Workspace
from attex.studies.run_studies import run_studies
from attex.studies.running import run_study
from attex.studies.study_file import read_study

SEEDS_OF_TWO_SETTINGS = {"choices": {"trainer.learning_rate": [0.001, 0.1]}}
"""Four models."""
Changes = Callable[[Path], None]


def run(output: Path) -> Path:
    workspace = Workspace.at(output=output, device="cpu")
    file = read_study(study(**SEEDS_OF_TWO_SETTINGS))
    path, failed = run_study(file, workspace, choose_engine(None, 1, {}, workspace))
    assert path is not None
    assert failed == 0
    return path


def cache_of(output: Path) -> Cache:
    return Workspace.at(output=output, device="cpu").cache


def files(root: Path) -> dict[str, bytes]:
    """Return all files below a folder: their names there, and what is in them."""
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("one_machine")
    run(output)
    return output


@pytest.fixture(scope="module")
def packed(output: Path) -> Path:
    assert pack(output / "models.tar.xz", cache_of(output)) == 4
    return output / "models.tar.xz"


def numbers(output: Path) -> dict[str, bytes]:
    return files(cache_of(output).root / "numbers")


def test_another_machine_gets_the_same_files_and_lays_out_the_same_study(
    output: Path, packed: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert unpack(packed, cache_of(tmp_path)) == Unpacked(new=4, known=0)
    assert numbers(tmp_path) == numbers(output)
    again = run(tmp_path)
    assert "4 models: 4 are there, 0 to make" in capfd.readouterr().err
    (before,) = (output / "study").glob("*/tables")
    assert files(again / "tables") == files(before)
    # And what is there already stays as it is.
    assert unpack(packed, cache_of(tmp_path)) == Unpacked(new=0, known=4)


def test_the_same_models_make_the_same_file_and_a_usual_program_reads_it(
    output: Path, packed: Path, tmp_path: Path
) -> None:
    unpack(packed, cache_of(tmp_path))
    pack(tmp_path / "again.tar.xz", cache_of(tmp_path))
    assert (tmp_path / "again.tar.xz").read_bytes() == packed.read_bytes()
    (tmp_path / "by_tar").mkdir()
    subprocess.run(["tar", "-xJf", packed, "-C", tmp_path / "by_tar"], check=True)
    assert files(tmp_path / "by_tar" / "numbers") == numbers(output)


def test_where_the_study_lay_is_not_told(packed: Path, tmp_path: Path) -> None:
    unpack(packed, cache_of(tmp_path))
    for path in (cache_of(tmp_path).root / "numbers").glob("*/stage.json"):
        record = verified(path.parent)
        at_home = record.settings | {"folder": "/home/somebody"}
        path.write_text(record_text(replace(record, settings=at_home)), encoding="utf-8")
    pack(tmp_path / "again.tar.xz", cache_of(tmp_path))
    assert (tmp_path / "again.tar.xz").read_bytes() == packed.read_bytes()


def test_models_can_be_packed_by_their_keys(output: Path, packed: Path, tmp_path: Path) -> None:
    some = packed_keys(packed)[1:3]
    assert pack(tmp_path / "some.tar.xz", cache_of(output), {*some, "of no model"}) == 2
    assert packed_keys(tmp_path / "some.tar.xz") == some


def test_models_that_are_packed_elsewhere_are_not_made(output: Path, tmp_path: Path) -> None:
    keys = sorted(path.name for path in (cache_of(output).root / "numbers").iterdir())
    pack(tmp_path / "some.tar.xz", cache_of(output), keys[:3])
    there = Workspace.at(output=tmp_path, device="cpu")
    file = read_study(study(**SEEDS_OF_TWO_SETTINGS))
    engine = choose_engine(None, 1, {}, there)
    assert run_studies([file], there, engine, "findings", made_elsewhere=[tmp_path / "some.tar.xz"])
    assert [path.name for path in (there.cache.root / "numbers").iterdir()] == keys[3:]


def test_a_damaged_model_is_not_packed_and_is_replaced(
    output: Path, packed: Path, tmp_path: Path
) -> None:
    unpack(packed, cache_of(tmp_path))
    damaged = next((cache_of(tmp_path).root / "numbers").glob("*/numbers.json"))
    damaged.write_bytes(damaged.read_bytes()[:-1] + b" ")
    assert pack(tmp_path / "whole.tar.xz", cache_of(tmp_path)) == 3
    assert damaged.parent.name not in packed_keys(tmp_path / "whole.tar.xz")
    assert unpack(packed, cache_of(tmp_path)) == Unpacked(new=1, known=3)
    assert numbers(tmp_path) == numbers(output)


def _members(packed: Path) -> dict[str, bytes]:
    with tarfile.open(packed) as archive:
        found = {member.name: archive.extractfile(member) for member in archive}
        return {name: file.read() for name, file in found.items() if file is not None}


def _written(path: Path, members: dict[str, bytes]) -> None:
    with tarfile.open(path, "w:xz") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _a_number_changed(path: Path) -> None:
    members = _members(path)
    name = next(name for name in members if name.endswith("/numbers.json"))
    _written(path, members | {name: members[name].replace(b"1", b"2")})


def _a_file_left_out(path: Path) -> None:
    members = _members(path)
    members.pop(next(name for name in members if name.endswith("/numbers.json")))
    _written(path, members)


def _a_file_added(path: Path) -> None:
    members = _members(path)
    first = next(iter(members)).rpartition("/")[0]
    _written(path, {f"{first}/further.json": b"{}"} | members)


def _under_another_key(path: Path) -> None:
    members = _members(path)
    key = next(iter(members)).split("/")[1]
    _written(path, {n.replace(key, "0" * 20): c for n, c in members.items() if key in n})


def _outside(path: Path) -> None:
    _written(path, {"../outside.json": b"{}"})


def _absolute(path: Path) -> None:
    _written(path, {f"{path.parent}/outside.json": b"{}"})


def _link(path: Path) -> None:
    with tarfile.open(path, "w:xz") as archive:
        member = tarfile.TarInfo(f"numbers/{'0' * 20}/numbers.json")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(member)


def _text(path: Path) -> None:
    path.write_text("no archive")


WRONG: dict[Changes, str] = {
    _cut: "is no file that `attex cache --pack` has written",
    _flipped: "is no file that `attex cache --pack` has written",
    _text: "is no file that `attex cache --pack` has written",
    Path.unlink: "there is no such file",
    _a_number_changed: "is not what was packed",
    _a_file_left_out: "is not what was packed",
    _a_file_added: "has the record of another one",
    _under_another_key: "has the record of another one",
    _outside: r"'\.\./outside\.json' is not of a model's numbers",
    _absolute: "outside.json' is not of a model's numbers",
    _link: "numbers.json' is not of a model's numbers",
}


@pytest.mark.parametrize("change", WRONG, ids=lambda change: change.__name__)
def test_what_is_no_file_of_models_is_said_and_nothing_of_it_is_kept(
    change: Changes, packed: Path, tmp_path: Path
) -> None:
    file, there = tmp_path / "models.tar.xz", tmp_path / "machine"
    file.write_bytes(packed.read_bytes())
    change(file)
    with pytest.raises(UserError, match=WRONG[change]):
        unpack(file, cache_of(there))
    # Models before the wrong one are whole; of the wrong one there is nothing anywhere.
    whole = _members(packed)
    assert {
        f"numbers/{name}": content for name, content in numbers(there).items()
    }.items() <= whole.items()
    assert {path.name for path in tmp_path.iterdir()} <= {"models.tar.xz", "machine"}


def test_what_cannot_be_packed_is_said(output: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"whose name ends in \.tar\.xz"):
        pack(tmp_path / "models.zip", cache_of(output))
    with pytest.raises(UserError, match="there is no folder"):
        pack(tmp_path / "absent" / "models.tar.xz", cache_of(output))
    with pytest.raises(UserError, match="no finished model"):
        pack(tmp_path / "models.tar.xz", cache_of(tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_cut_file_is_no_list_of_models(packed: Path, tmp_path: Path) -> None:
    file = tmp_path / "models.tar.xz"
    file.write_bytes(packed.read_bytes()[:100])
    with pytest.raises(UserError, match="is no file that"):
        packed_keys(file)


def test_models_in_one_file_take_less_room_than_in_the_cache(output: Path, packed: Path) -> None:
    assert packed.stat().st_size < sum(map(len, numbers(output).values())) / 2
