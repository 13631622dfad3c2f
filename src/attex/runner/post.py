"""Tasks for other machines, and their answers, as files on a disk that all of them share."""

import json
import os
import shutil
import socket
import sys
from pathlib import Path
from uuid import uuid4

from attex.foundations.errors import UserError
from attex.foundations.progress import heard_by, pass_on, say
from attex.foundations.storage import read_json, write_json
from attex.runner.task import Outcome, Task
from attex.runner.worker import Reporter

_TASK, _NEWS, _OUTCOME = "task.json", "news.jsonl", "outcome.json"


class Letter:
    """The folder of one task: the task itself, news of the work, and in the end its outcome."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read = 0

    def send(self, task: Task) -> None:
        """Write the task; an answer to an earlier letter is thrown away."""
        self.remove()
        self.folder.mkdir(parents=True)
        write_json(self.folder / _TASK, task.to_json())

    def was_sent(self) -> bool:
        """Say whether a task lies here, of this driver or of an earlier one."""
        return (self.folder / _TASK).is_file()

    def perform(self) -> Outcome:
        """Do the task, on whatever machine this is, and write news and outcome."""
        task = Task.from_json(read_json(self.folder / _TASK))
        with (self.folder / _NEWS).open("a", encoding="utf-8") as news, heard_by(Reporter(news)):
            outcome = task.perform()
        write_json(self.folder / _OUTCOME, outcome.to_json())
        return outcome

    def outcome(self) -> Outcome | None:
        """Return the outcome, if it is there, after showing the last news."""
        self.show_news()
        path = self.folder / _OUTCOME
        return Outcome.from_json(read_json(path)) if path.is_file() else None

    def show_news(self) -> None:
        """Show what the work has said since the last time."""
        path = self.folder / _NEWS
        if not path.is_file():
            return
        with path.open("rb") as file:
            file.seek(self._read)
            lines = file.read()
        # The last line may be on its way still.
        whole = lines[: lines.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            show(line.decode(), self.folder.name[:6])

    def remove(self) -> None:
        """Throw it away."""
        shutil.rmtree(self.folder, ignore_errors=True)


def show(line: str, worker: str) -> Outcome | None:
    """Show what a worker tells, or return the outcome that it tells."""
    try:
        message = json.loads(line)
    except ValueError:
        # The last line of a process that was killed while it wrote.
        return None
    if "says" in message:
        say(message["says"])
    elif "goes_on" in message:
        pass_on(worker, *message["goes_on"])
    elif "outcome" in message:
        return Outcome.from_json(message["outcome"])
    return None


class SharedDisk:
    """A question to another machine: do you see this folder, and can you write there?"""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()
        self._token = uuid4().hex

    def ask(self) -> tuple[str, str]:
        """Write something, and return what the other machine is asked: where, and what."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self._token}.question"
        path.write_text(self._token)
        return str(path), self._token

    def heard(self, host: str) -> None:
        """Raise `UserError` unless the answer is there."""
        answer = self._folder / f"{self._token}.answer"
        there = answer.is_file() and answer.read_text() == self._token[::-1]
        for path in (answer, self._folder / f"{self._token}.question"):
            path.unlink(missing_ok=True)
        if not there:
            raise UserError(not_shared(self._folder, host))


def answer(question: str, token: str) -> str:
    """Answer a question on another machine, and return the machine's name."""
    path = Path(question)
    if path.is_file() and path.read_text() == token:
        path.with_suffix(".answer").write_text(token[::-1])
    return socket.gethostname()


def not_shared(folder: Path, host: str) -> str:
    """Say what is wrong where a machine does not see the cache."""
    return (
        f"{folder} cannot be written by one machine and read by another ({host}): "
        "--output-dir must lie on a disk that all of them share"
    )


def main() -> None:
    """Do one task of a list, the one that Slurm's number names: `python -m attex.runner.post LIST`."""
    import torch

    from attex.runner.threads import NAMES

    torch.set_num_threads(int(os.environ[NAMES[0]]))
    listed = Path(sys.argv[1])
    folder = listed.read_text().splitlines()[int(os.environ["SLURM_ARRAY_TASK_ID"])]
    Letter(listed.parent / folder).perform()


if __name__ == "__main__":
    main()
