"""One task after the other, in this process."""

from collections.abc import Iterator, Sequence

import torch

from attex.runner.engine import ENGINES, Engine
from attex.runner.task import Outcome, Schedule, Task


@ENGINES.register("serial")
class Serial(Engine):
    """One task after the other, in this process.

    It needs nothing and starts at once; with it `jobs` says how many threads a task has, no more.
    """

    def run(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Do what is ready, first come, first served."""
        before = torch.get_num_threads()
        torch.set_num_threads(self.threads)
        schedule = Schedule(tasks)
        try:
            while schedule:
                yield from schedule.done(schedule.take().perform())
        finally:
            torch.set_num_threads(before)
