"""Tasks as jobs of a Slurm cluster."""

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from attex.foundations.errors import UserError, brief
from attex.foundations.ownership import is_abandoned, own_name
from attex.foundations.progress import TERMINAL, say
from attex.foundations.storage import write_text
from attex.runner.engine import ENGINES, Engine, Text, python_path
from attex.runner.post import Letter, not_shared
from attex.runner.task import Outcome, Schedule, Task
from attex.runner.threads import environment
from attex.runner.workspace import Workspace

_LOOK_SECONDS = (0.2, 5.0)
"""How often to look for outcomes, and how often to ask Slurm which jobs there still are."""

_GRACE_SECONDS = 30.0
"""How long a shared disk may take to show an outcome after its job has ended."""

_LARGEST_ARRAY = 1000
"""Slurm refuses arrays of more than 1,001 jobs unless it was set up otherwise."""

_TRIES = 2


@dataclass
class _Job:
    """A task under way: its letter, number at Slurm and log, and since when Slurm knows it no more."""

    task: Task
    letter: Letter
    number: str
    log: str
    tries: int
    gone_since: float | None = None


@ENGINES.register(
    "slurm",
    requires={"sbatch": "the command sbatch"},
    elsewhere=True,
    cite="Yoo et al. 2003",
)
class Slurm(Engine):
    """Tasks as jobs of a Slurm cluster, submitted as arrays, `jobs` of them at a time.

    `partition`, `account`, `time` (as Slurm writes it), `memory` (as 8G) and `gpus` (a job) are passed
    on to sbatch; `cpus` are the cores, and threads, of a job. Run it where jobs are submitted. Every
    machine must see `--output-dir` and the raw files under the same paths. Interrupted, it cancels its
    jobs; after a kill the next run adopts those that are still there.
    """

    def __init__(
        self,
        jobs: int,
        workspace: Workspace,
        *,
        partition: Text | None = None,
        account: Text | None = None,
        time: Text | None = None,
        memory: Text | None = None,
        gpus: Annotated[int, Field(ge=1, le=16)] | None = None,
        cpus: Annotated[int, Field(ge=1, le=1024)] | None = None,
    ) -> None:
        super().__init__(jobs, workspace)
        self.threads = cpus or self.threads
        passed_on = {
            "partition": partition,
            "account": account,
            "time": time,
            "mem": memory,
            "gpus": gpus,
            "cpus-per-task": self.threads,
        }
        self._options = [f"--{name}={value}" for name, value in passed_on.items() if value is not None]
        self._left_over: dict[str, tuple[str, str]] = {}

    def get_ready(self, tasks: int) -> None:
        """See that Slurm is there, and which jobs of a killed run it still has."""
        for command in ("sbatch", "squeue", "scancel"):
            if shutil.which(command) is None:
                raise UserError(f"--engine slurm: there is no {command} here; is this a login node?")
        self._folder.mkdir(parents=True, exist_ok=True)
        there = _known_to_slurm()
        if isinstance(there, str):
            raise UserError(f"--engine slurm: squeue says: {there}")
        jobs = {path.parent.name: path.read_text().split() for path in self._folder.glob("*/job")}
        self._left_over = {key: (job[0], job[1]) for key, job in jobs.items() if job[0] in there}
        for key in jobs.keys() - self._left_over.keys():
            # Its job is over, and so is the driver that would have read the outcome.
            if is_abandoned(self._folder / f"{jobs[key][1].rpartition('_')[0]}.list"):
                Letter(self._folder / key).remove()

    def run(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Submit what is ready, follow it, and submit what that makes ready."""
        if not tasks:
            return
        self.get_ready(len(tasks))
        schedule, under_way = Schedule(tasks), dict[str, _Job]()
        asked = time.monotonic()
        try:
            while schedule or under_way:
                for job in self._begin(schedule, self.jobs - len(under_way)):
                    under_way[job.task.key] = job
                time.sleep(_LOOK_SECONDS[0])
                if time.monotonic() - asked > _LOOK_SECONDS[1]:
                    asked = time.monotonic()
                    self._notice_gone(under_way)
                for outcome in self._outcomes(under_way):
                    yield from schedule.done(outcome)
        finally:
            self._sweep()
            with contextlib.suppress(OSError):
                # Another driver's letters may lie there.
                self._folder.rmdir()
            if under_way:
                subprocess.run(["scancel", *(job.number for job in under_way.values())], check=False)
            TERMINAL.close()

    @property
    def _folder(self) -> Path:
        return (self.workspace.cache.root / "tasks").absolute()

    def _begin(self, schedule: Schedule, room: int) -> Iterator[_Job]:
        """Adopt or submit ready tasks, as many as there is room for."""
        known = self._left_over
        new: list[tuple[Task, Letter]] = []
        while schedule and len(new) < min(room, _LARGEST_ARRAY):
            task = schedule.take()
            letter = Letter(self._folder / task.key)
            if task.key in known and letter.was_sent():
                number, log = known[task.key]
                say(f"{task.stage.kind}: {task.stage.title}: job {number} is still there")
                yield _Job(task, letter, number, log, tries=1)
            else:
                letter.send(task)
                new.append((task, letter))
        if new:
            yield from self._submit(new)

    def _submit(self, new: Sequence[tuple[Task, Letter]], tries: int = 1) -> Iterator[_Job]:
        listed = self._folder / f"{own_name()}.list"
        write_text(listed, "".join(f"{task.key}\n" for task, _ in new))
        command = f"exec {shlex.join([sys.executable, '-m', 'attex.runner.post', str(listed)])}"
        submitted = subprocess.run(
            [
                "sbatch",
                "--parsable",
                "--job-name=attex",
                f"--array=0-{len(new) - 1}",
                f"--output={listed.with_suffix('')}_%a.log",
                *self._options,
                "--wrap",
                command,
            ],
            env=os.environ | environment(self.threads) | {"PYTHONPATH": python_path()},
            capture_output=True,
            text=True,
            check=False,
        )
        if submitted.returncode:
            raise UserError(f"--engine slurm: sbatch says: {_in_a_line(submitted.stderr)}")
        array = submitted.stdout.strip().partition(";")[0]
        for index, (task, letter) in enumerate(new):
            job = _Job(task, letter, f"{array}_{index}", f"{listed.stem}_{index}.log", tries)
            write_text(letter.folder / "job", f"{job.number} {job.log}")
            yield job

    def _notice_gone(self, under_way: dict[str, _Job]) -> None:
        there = _known_to_slurm()
        if isinstance(there, str):
            # A controller that restarts says no for a while; its jobs go on.
            say(f"squeue says: {there}; it is asked again")
            return
        for job in under_way.values():
            if job.number in there:
                job.gone_since = None
            elif job.gone_since is None:
                job.gone_since = time.monotonic()

    def _outcomes(self, under_way: dict[str, _Job]) -> Iterator[Outcome]:
        for key, job in [*under_way.items()]:
            outcome = job.letter.outcome()
            if (
                outcome is None
                and not job.letter.was_sent()
                and self.workspace.cache.has(job.task.stage)
            ):
                # Another driver, with the same task, was the first to see its outcome.
                outcome = Outcome(key)
            if outcome is None and job.gone_since is not None:
                if time.monotonic() - job.gone_since < self._patience(job):
                    continue
                outcome = self._again(job, under_way)
            if outcome is not None:
                del under_way[key]
                job.letter.remove()
                yield outcome

    def _patience(self, job: _Job) -> float:
        # A job whose log is there was seen to run: what it wrote, it wrote here.
        return 2.0 if (self._folder / job.log).is_file() else _GRACE_SECONDS

    def _again(self, job: _Job, under_way: dict[str, _Job]) -> Outcome | None:
        """Submit a task again whose job ended without a word, or give it up."""
        title, log = f"{job.task.stage.kind}: {job.task.stage.title}", self._folder / job.log
        last = log.read_text(errors="replace").strip().splitlines()[-1:] if log.is_file() else []
        why = f"job {job.number} ended without an outcome" + (f": {last[0]}" if last else "")
        if not log.is_file():
            why += f"; {not_shared(self._folder, 'a machine of the cluster')}"
        if job.tries < _TRIES:
            say(f"{title}: {why}; it is submitted again")
            job.letter.send(job.task)
            for new in self._submit([(job.task, job.letter)], job.tries + 1):
                under_way[job.task.key] = new
            return None
        return Outcome(job.task.key, UserError(f"{job.task.stage.title}: {why}"))

    def _sweep(self) -> None:
        """Remove the lists, and the logs of their jobs, that no driver waits for any more."""
        for listed in self._folder.glob("*.list"):
            ours = listed.name.startswith(f"{os.getpid()}-")
            answered = not any((self._folder / key).exists() for key in listed.read_text().split())
            if answered and (ours or is_abandoned(listed)):
                for log in self._folder.glob(f"{listed.stem}_*.log"):
                    log.unlink(missing_ok=True)
                listed.unlink(missing_ok=True)


def _known_to_slurm() -> set[str] | str:
    """Return the jobs of this user that wait or run, each of an array by its own number.

    Where Slurm does not answer, return what it says.
    """
    command = ["squeue", "--me", "--array", "--noheader", "--format=%i %t"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    if listed.returncode:
        return _in_a_line(listed.stderr)
    states = (line.split() for line in listed.stdout.splitlines())
    ended = re.compile(r"CD|CA|F|TO|NF|OOM|BF|DL")
    return {number for number, state in states if not ended.fullmatch(state)}


def _in_a_line(text: str) -> str:
    return brief(" ".join(text.split()))
