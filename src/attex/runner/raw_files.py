"""Hashes of raw files, which are large and seldom change, remembered from run to run."""

import json
import os
from pathlib import Path

from attex.foundations.storage import digest, digest_file


class RawFiles:
    """Remembers a file's hash for as long as its path, size and time of change are the same.

    The memory is a file of one JSON line a hash, each with a hash of its own: lines are only ever
    added, in one write, so that several processes can share it and a kill leaves it readable.
    """

    def __init__(self, memory: Path) -> None:
        self._memory = memory
        self._known: dict[str, str] | None = None
        self._new: dict[str, str] = {}

    def digest(self, path: Path) -> str:
        """Return the hash of a file's content."""
        found = path.stat()
        now = digest([str(path.absolute()), found.st_size, found.st_mtime_ns])
        known = self._remembered()
        if now not in known:
            known[now] = self._new[now] = digest_file(path)
        return known[now]

    def write_down(self) -> None:
        """Remember, from now on, what was hashed; a plan alone leaves no trace."""
        lines = [
            json.dumps([file, content, digest([file, content])]) + "\n"
            for file, content in self._new.items()
        ]
        self._new.clear()
        if lines:
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            opened = os.open(self._memory, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)
            try:
                os.write(opened, "".join(lines).encode())
            finally:
                os.close(opened)

    def _remembered(self) -> dict[str, str]:
        if self._known is None:
            self._known = {}
            if self._memory.is_file():
                for line in self._memory.read_bytes().splitlines():
                    try:
                        file, content, check = json.loads(line)
                    except (ValueError, TypeError):
                        continue
                    if check == digest([file, content]):
                        self._known[file] = content
        return self._known
