"""A real Slurm with one node, this machine, for as long as a test needs it."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "munged")
SETTINGS = """
ClusterName=attex
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
KillWait=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[dict[str, str]]:
    """Start the cluster and yield the environment that its commands need; skip where there is none."""
    missing = [program for program in PROGRAMS if shutil.which(program, path=_path()) is None]
    if missing:
        pytest.skip(f"needs Slurm (Debian: slurm-wlm, munge); there is no {missing[0]}")
    if os.geteuid() != 0:
        pytest.skip("needs to be root to start a Slurm of its own")
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    host = socket.gethostname().partition(".")[0]
    settings = SETTINGS.format(folder=folder, host=host, cores=os.cpu_count(), ports=free_ports(2))
    (folder / "slurm.conf").write_text(settings)
    environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": _path()}
    with contextlib.ExitStack() as stack:
        stack.enter_context(_munge(folder, environment))
        for daemon in ("slurmctld", "slurmd"):
            # In the foreground, as children of this process, so that they can be ended as such.
            stack.enter_context(_running([daemon, "-D"], environment))
        deadline = time.monotonic() + 60
        while subprocess.run(
            ["srun", "--immediate=5", "true"], env=environment, capture_output=True, check=False
        ).returncode:
            assert time.monotonic() < deadline, (folder / "slurmctld.log").read_text()[-2000:]
            time.sleep(0.5)
        yield {name: environment[name] for name in ("SLURM_CONF", "PATH")}
        subprocess.run(["scancel", "--me"], env=environment, check=False)


def _path() -> str:
    return f"{os.environ['PATH']}:/usr/sbin:/sbin"


@contextlib.contextmanager
def _munge(folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """Run a munge for this cluster alone: one that others use may end before it does."""
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    files = {"socket": "munge.socket", "pid-file": "munge.pid", "log-file": "munge.log"}
    files |= {"key-file": key.name, "seed-file": "munge.seed"}
    options = [f"--{option}={folder / name}" for option, name in files.items()]
    with _running(["munged", "--foreground", "--force", *options], environment):
        deadline = time.monotonic() + 20
        while not (folder / "munge.socket").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        yield


@contextlib.contextmanager
def _running(command: list[str], environment: dict[str, str]) -> Iterator[None]:
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet) as process:
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
