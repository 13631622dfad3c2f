"""Who is at work on what: claims that are over when their process is, on this machine or another."""

import contextlib
import fcntl
import hashlib
import itertools
import json
import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

from attex.foundations.progress import say

BEAT_SECONDS = 15.0
"""How often a claim's file is touched, for other machines to see that its process lives."""

STALE_SECONDS = 60.0
"""After so long without a touch a claim from another machine is over."""

_ABANDONED_SECONDS = 3600.0

_NUMBERS = itertools.count()
"""Threads of this process may write something each."""

_LOOK_SECONDS = (0.02, 0.5)
"""How often to look whether a claim is over: at first, and at the longest."""


@dataclass(frozen=True)
class Owner:
    """A process: where it runs, its number there, and when it started, as numbers are used again."""

    host: str
    pid: int
    started: str

    @classmethod
    def here(cls) -> "Owner":
        """Return this process."""
        return cls(_host(), os.getpid(), _started(os.getpid()))

    def is_over(self) -> bool | None:
        """Say whether the process has ended; None where it runs elsewhere and nobody can tell."""
        if self.host != _host():
            return None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        return _started(self.pid) != self.started


def _host() -> str:
    """Name this machine since it was started, and its processes' own space of numbers."""
    parts = [socket.gethostname()]
    with contextlib.suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    with contextlib.suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(parts)


def _started(pid: int) -> str:
    """Return when a process started, in the system's ticks; empty where that is not told or it is over.

    A process that has ended but was not yet waited for counts as over.
    """
    try:
        # The name of the program, in brackets, may itself have spaces and brackets.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def own_name() -> str:
    """Name something by this process, so that no other writes there and all see when it is left over."""
    owner = Owner.here()
    return f"{owner.pid}-{owner.started}-{_short(owner.host)}-{next(_NUMBERS)}"


def is_abandoned(path: Path) -> bool:
    """Say whether the process is over that something, up to its suffix, is named by.

    Of what another machine has begun, nobody can tell: it is, if it was not changed for an hour.
    """
    parts = re.fullmatch(r"(\d+)-(\d*)-(\w+)-\d+", path.stem)
    if parts and parts[3] == _short(_host()):
        return bool(Owner(_host(), int(parts[1]), parts[2]).is_over())
    try:
        return time.time() - path.stat().st_mtime > _ABANDONED_SECONDS
    except OSError:
        return False


def _short(host: str) -> str:
    return hashlib.sha256(host.encode()).hexdigest()[:8]


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Hold a claim: a file that one process creates and no other has.

    Where another has it, wait. The claim of a process that is over is taken over: on this machine at
    once, from another when its file was not touched for `STALE_SECONDS`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    token = uuid4().hex
    content = json.dumps(asdict(Owner.here()) | {"token": token})
    waiting = _Waiting(path)
    while not _create(path, content):
        waiting.a_moment()
    _HEART.keep(path)
    try:
        yield
    finally:
        _HEART.forget(path)
        if _token(path) == token:
            path.unlink(missing_ok=True)


def is_held(path: Path) -> bool:
    """Say whether the process of a claim is still at work.

    Of one on another machine nobody can tell: it is, if it touched its claim within the last hour.
    """
    claim = _read(path)
    if claim is None:
        return False
    over = claim[0].is_over() if claim[0] is not None else None
    return not is_abandoned(path) if over is None else not over


def _create(path: Path, content: str) -> bool:
    try:
        file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    except FileExistsError:
        return False
    with os.fdopen(file, "w", encoding="utf-8") as opened:
        opened.write(content)
    return True


def _token(path: Path) -> str | None:
    claim = _read(path)
    return None if claim is None else claim[1]


def _read(path: Path) -> tuple[Owner | None, str | None] | None:
    """Return whose claim it is, and its token; None where there is no claim.

    One that was just created, or whose process was killed while it wrote, tells neither.
    """
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        token = str(fields.pop("token"))
        return Owner(**fields), token
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None, None


class _Waiting:
    """Waits for a claim to be over, and takes it away when its process is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pause = _LOOK_SECONDS[0]
        self._seen: object = None
        self._since = time.monotonic()
        self._told = False

    def a_moment(self) -> None:
        """Wait a little, or remove the claim if it is over."""
        claim, touched = _read(self._path), _touched(self._path)
        if claim is None:
            return
        owner, token = claim
        # Whether a file is touched is seen by its changing: clocks of two machines differ.
        if (token, touched) != self._seen:
            self._seen, self._since = (token, touched), time.monotonic()
        unseen = time.monotonic() - self._since
        over = owner.is_over() if owner is not None else None
        if over or (over is None and unseen > (STALE_SECONDS if owner else 2.0)):
            _take_away(self._path, token)
            return
        if unseen > 2.0 and owner is not None and not self._told:
            self._told = True
            say(f"  waiting for process {owner.pid} on {owner.host.split()[0]}, which makes this now")
        time.sleep(self._pause)
        self._pause = min(_LOOK_SECONDS[1], self._pause * 1.5)


def _touched(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def _take_away(path: Path, token: str | None) -> None:
    """Remove the claim with this token, and no other that has just taken its place."""
    with (path.parent / ".takeover").open("a") as guard:
        with contextlib.suppress(OSError):
            # Where files cannot be locked, two that take over at the same instant may both do so.
            fcntl.flock(guard, fcntl.LOCK_EX)
        if _read(path) is not None and _token(path) == token:
            taken = path.with_name(f"{path.name}-{uuid4().hex}")
            with contextlib.suppress(FileNotFoundError):
                path.rename(taken)
                taken.unlink()


class _Heart:
    """Touches the files of the claims that this process holds."""

    def __init__(self) -> None:
        self._paths: set[Path] = set()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def keep(self, path: Path) -> None:
        with self._lock:
            self._paths.add(path)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._beat, daemon=True)
                self._thread.start()

    def forget(self, path: Path) -> None:
        with self._lock:
            self._paths.discard(path)

    def _beat(self) -> None:
        while True:
            time.sleep(BEAT_SECONDS)
            with self._lock:
                for path in self._paths:
                    with contextlib.suppress(OSError):
                        os.utime(path)


_HEART = _Heart()
