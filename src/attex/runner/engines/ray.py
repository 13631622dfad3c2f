"""Tasks on a Ray cluster, or on this machine by a Ray of its own."""

import contextlib
import json
import logging
import shutil
import signal
import socket
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from attex.foundations.errors import UserError, brief
from attex.foundations.ownership import own_name
from attex.foundations.progress import TERMINAL
from attex.foundations.storage import PARTIAL
from attex.runner.engine import ENGINES, Engine, python_path
from attex.runner.post import Letter, SharedDisk, answer
from attex.runner.task import Outcome, Schedule, Task
from attex.runner.threads import environment
from attex.runner.workspace import Workspace

_LOOK_SECONDS = 0.1
_CONNECT_SECONDS = 10.0


@ENGINES.register(
    "ray",
    requires={"ray": "pip install 'attex[ray]'"},
    elsewhere=True,
    cite="Moritz et al. 2018",
)
class Ray(Engine):
    """Tasks on a Ray cluster, `jobs` of them at a time.

    `address` is that of a running cluster, as `auto`, `host:6379` or `ray://host:10001`; without one a
    Ray of this machine's own is started and ended. `cpus` are the cores, and threads, of a task; by
    default the cores of this machine are shared out. `gpus` is the share of a GPU that a task takes;
    by default, on cuda, the GPUs of the cluster are shared out. Every machine must see `--output-dir`
    and the raw files under the same paths.
    """

    def __init__(
        self,
        jobs: int,
        workspace: Workspace,
        *,
        address: str | None = None,
        cpus: Annotated[int, Field(ge=1, le=1024)] | None = None,
        gpus: Annotated[float, Field(gt=0, le=8, allow_inf_nan=False)] | None = None,
    ) -> None:
        super().__init__(jobs, workspace)
        self.threads = cpus or self.threads
        self._address = address
        self._gpus = gpus
        self._stack = contextlib.ExitStack()
        self._ray: Any = None
        # Of this driver alone: another may have the same tasks.
        self._letters = workspace.cache.root / "tasks" / f"{own_name()}{PARTIAL}"

    def get_ready(self, tasks: int) -> None:
        """Join the cluster, and see that its machines share the disk."""
        if self._ray is None:
            cores = self.jobs * self.threads
            self._ray = self._stack.enter_context(_cluster(self._address, cores, self._runtime()))
            self._stack.callback(shutil.rmtree, self._letters, ignore_errors=True)
            self._check_machines()

    def close(self) -> None:
        """Leave the cluster, which ends what it does for this driver."""
        self._stack.close()
        self._ray = None
        TERMINAL.close()

    def run(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Keep `jobs` tasks under way."""
        if not tasks:
            return
        self.get_ready(len(tasks))
        perform = self._ray.remote(**self._resources())(_perform)
        schedule = Schedule(tasks)
        under_way: dict[Any, tuple[Task, Letter]] = {}
        while schedule or under_way:
            while schedule and len(under_way) < self.jobs:
                task = schedule.take()
                letter = Letter(self._letters / task.key)
                letter.send(task)
                under_way[perform.remote(str(letter.folder.absolute()))] = task, letter
            ready, _ = self._ray.wait([*under_way], timeout=_LOOK_SECONDS)
            for _, letter in under_way.values():
                letter.show_news()
            for reference in ready:
                task, letter = under_way.pop(reference)
                yield from schedule.done(self._outcome(reference, task))
                letter.remove()

    def _runtime(self) -> dict[str, Any]:
        """What a process is started with: one and the same for all, so that any can do anything."""
        return {"env_vars": environment(self.threads) | {"PYTHONPATH": python_path()}}

    def _resources(self) -> dict[str, Any]:
        resources: dict[str, Any] = {
            "num_cpus": self.threads,
            # A task whose process dies is tried once more.
            "max_retries": 1,
            "runtime_env": self._runtime(),
        }
        gpus = self._ray.cluster_resources().get("GPU", 0)
        if self._gpus is not None:
            resources["num_gpus"] = self._gpus
        elif gpus and self.workspace.asked_device != "cpu":
            resources["num_gpus"] = min(1.0, gpus / self.jobs)
        return resources

    def _check_machines(self) -> None:
        """Have every machine read what is written here, and write what is read here."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        alive = [node for node in self._ray.nodes() if node["Alive"]]
        most = max((node["Resources"].get("CPU", 0) for node in alive), default=0)
        if most < self.threads:
            raise UserError(
                f"--engine ray: a task asks for {self.threads} cores, but no machine has more than "
                f"{most:g}; set --engine-option cpus={max(1, int(most))}"
            )
        remote = self._ray.remote(num_cpus=0)(_answer)
        for node in alive:
            disk = SharedDisk(self._letters)
            asked = remote.options(
                scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
                runtime_env=self._runtime(),
            ).remote(*disk.ask())
            disk.heard(self._ray.get(asked))

    def _outcome(self, reference: Any, task: Task) -> Outcome:
        try:
            return Outcome.from_json(json.loads(self._ray.get(reference)))
        except self._ray.exceptions.RayError as error:
            # The last of many lines says what it was.
            said = [line for line in str(error).splitlines() if line.strip()] or [repr(error)]
            return Outcome(task.key, UserError(f"{task.stage.title}: {brief(said[-1])}"))


@contextlib.contextmanager
def _cluster(address: str | None, cores: int, runtime: dict[str, Any]) -> Iterator[Any]:
    """Join a cluster, or start one on this machine that ends when this is over.

    `runtime` is what processes are started with: those that are there from the start can do tasks, too.
    """
    try:
        import ray
    except ImportError:
        raise UserError("--engine ray needs the package ray: pip install 'attex[ray]'") from None
    if ray.is_initialized():
        # Somebody's notebook has a cluster; it is theirs to end.
        yield ray
        return
    where: dict[str, Any] = {"address": address}
    if address is None:
        # A machine's own name may stand for an address that others can reach.
        own = {"_node_ip_address": "127.0.0.1", "include_dashboard": False}
        # Those that Ray starts before it knows what with could do no task.
        late = {"_system_config": {"prestart_worker_first_driver": False}}
        where = {"num_cpus": cores} | own | late
    else:
        _check_address(address)
    terminated = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**where, runtime_env=runtime, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError) as error:
        raise UserError(
            f"--engine ray: no cluster at {address}: {brief(' '.join(str(error).split()))}"
        ) from None
    if threading.current_thread() is threading.main_thread():
        # Ray takes it for itself and would end this process without a word.
        signal.signal(signal.SIGTERM, terminated)
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_address(address: str) -> None:
    """Raise `UserError` where nobody listens: Ray itself would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise UserError(f"--engine ray: no cluster at {address}: {error}") from None


def _perform(folder: str) -> str:
    """Do the task of a letter, in a process that Ray keeps for the next."""
    import os

    import torch

    from attex.runner.threads import NAMES

    torch.set_num_threads(int(os.environ[NAMES[0]]))
    return json.dumps(Letter(Path(folder)).perform().to_json())


def _answer(question: str, token: str) -> str:
    return answer(question, token)
