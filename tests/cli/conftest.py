"""The command line, called in this process and in a folder of its own."""

import sys
from pathlib import Path

import pytest
from command_line import Attex

from attex.cli import main


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATTEX_DATA", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture
def attex_(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Attex:
    """Call the command line in this process: its exit code, stdout and stderr."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["attex", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capsys.readouterr()

    return call
