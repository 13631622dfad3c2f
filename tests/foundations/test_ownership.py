"""One process has a claim at a time, and what a killed one had is free at once."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from attex.foundations import ownership
from attex.foundations.ownership import Owner, claimed, is_held

HOLD = """
import sys, time
from pathlib import Path
from attex.foundations.ownership import claimed
with claimed(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_claim_is_there_while_it_is_held_and_gone_after(tmp_path: Path) -> None:
    claim = tmp_path / "new" / "folder" / "claim"
    with claimed(claim):
        assert json.loads(claim.read_text())["pid"] == os.getpid()
    assert not claim.exists()


def test_a_claim_is_held_while_its_process_lives(tmp_path: Path) -> None:
    claim = tmp_path / "claim"
    assert not is_held(claim)
    with claimed(claim):
        assert is_held(claim)
    other = asdict(Owner.here()) | {"token": "t"}
    claim.write_text(json.dumps(other | {"started": "0"}))
    assert not is_held(claim)
    claim.write_text(json.dumps(other | {"host": "elsewhere"}))
    assert is_held(claim)
    os.utime(claim, (0, 0))
    assert not is_held(claim)


def test_a_claim_is_left_when_its_holder_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), claimed(tmp_path / "claim"):
        _ = 1 / 0
    assert not (tmp_path / "claim").exists()


def _enter_and_leave(folder: Path, name: str) -> None:
    for _ in range(5):
        with claimed(folder / "claim"), (folder / "log").open("a") as log:
            print(name, file=log, flush=True)
            time.sleep(0.01)
            print(name, file=log, flush=True)


def test_processes_take_turns_also_where_a_dead_ones_claim_is_in_the_way(tmp_path: Path) -> None:
    gone = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "claim")], stdout=subprocess.PIPE
    )
    assert gone.stdout is not None
    assert gone.stdout.readline() == b"held\n"
    gone.kill()
    gone.communicate()
    fork = multiprocessing.get_context("fork")
    started = [fork.Process(target=_enter_and_leave, args=(tmp_path, name)) for name in "abcdef"]
    for process in started:
        process.start()
    for process in started:
        process.join(60)
    log = (tmp_path / "log").read_text().split()
    assert sorted(log[::2]) == sorted("abcdef" * 5)
    assert log[::2] == log[1::2], "two were inside at once"
    assert not (tmp_path / "claim").exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_a_killed_process_held_is_free_at_once(number: signal.Signals, tmp_path: Path) -> None:
    held = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "claim")], stdout=subprocess.PIPE
    )
    assert held.stdout is not None
    assert held.stdout.readline() == b"held\n"
    # Not waited for: it stays as a process without life until this one asks for it.
    held.send_signal(number)
    with claimed(tmp_path / "claim"):
        pass
    held.communicate()


def test_a_number_that_is_used_again_is_another_process(tmp_path: Path) -> None:
    before = Owner.here()
    again = Owner(before.host, before.pid, "1")
    assert not before.is_over()
    assert again.is_over()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"token": 1}', "\x00"])
def test_a_claim_that_was_never_written_holds_nobody_for_long(content: str, tmp_path: Path) -> None:
    (tmp_path / "claim").write_text(content)
    with claimed(tmp_path / "claim"):
        pass


def test_a_claim_from_another_machine_holds_while_it_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ownership, "STALE_SECONDS", 0.6)
    claim = tmp_path / "claim"
    elsewhere = asdict(Owner("another machine", 1, "1")) | {"token": "theirs"}
    claim.write_text(json.dumps(elsewhere))
    touch = "import os, sys, time\nfor _ in range(10):\n    time.sleep(0.2)\n    os.utime(sys.argv[1])\n"
    started = time.monotonic()
    with subprocess.Popen([sys.executable, "-c", touch, str(claim)]), claimed(claim):
        waited = time.monotonic() - started
    assert waited > 2.0, "its process was alive until then"


def test_claims_are_touched_while_they_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownership, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(ownership, "_HEART", ownership._Heart())
    with claimed(tmp_path / "claim"):
        before = (tmp_path / "claim").stat().st_mtime_ns
        time.sleep(0.3)
        assert (tmp_path / "claim").stat().st_mtime_ns > before
