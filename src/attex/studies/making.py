"""Train and measure the models that studies lack, of all of them at once, on any engine."""

from collections.abc import Container, Iterator, Sequence

from attex.foundations.errors import UserError
from attex.foundations.progress import say, track
from attex.runner.engine import Engine
from attex.runner.task import Task
from attex.studies.models import Models

_TOLD = 5
"""Models whose trouble is told one by one."""

Troubles = list[tuple[Task, BaseException]]


def make(studies: Sequence[Models], engine: Engine, elsewhere: Container[str] = ()) -> list[int]:
    """Make what is missing; return how many models of each study could not be made."""
    failed = dict(making(studies, engine, elsewhere))
    return [failed[number] for number in range(len(studies))]


def making(
    studies: Sequence[Models], engine: Engine, elsewhere: Container[str] = ()
) -> Iterator[tuple[int, int]]:
    """Make what is missing of studies, but for models whose keys another machine has, `elsewhere`.

    Yields the place of each study, and how many of its models could not be made, as soon as its last
    one was tried; their trouble is told. No process waits for the end of one study before it begins
    another, and what two of them need is made once. Tasks stand in the order of the studies, so that
    one which is stopped has the numbers of the first.
    """
    tasks: dict[str, Task] = {}
    waits_for: dict[int, set[str]] = {}
    for place, models in enumerate(studies):
        missing = models.missing(elsewhere, named=len(studies) > 1)
        tasks |= {task.key: task for task in missing if task.key not in tasks}
        waits_for[place] = {task.key for task in missing} & models.distinct().keys()
    troubles: dict[int, Troubles] = {place: [] for place in waits_for}
    for place in [place for place, keys in waits_for.items() if not keys]:
        yield place, 0
        del waits_for[place]
    if not tasks:
        return
    engine.get_ready(len(tasks))
    for outcome in track(engine.run([*tasks.values()]), "models", len(tasks)):
        for place in [place for place, keys in waits_for.items() if outcome.key in keys]:
            if outcome.trouble is not None:
                troubles[place].append((tasks[outcome.key], outcome.trouble))
            waits_for[place].remove(outcome.key)
            if not waits_for[place]:
                del waits_for[place]
                yield place, _told(troubles[place])


def _told(troubles: Troubles) -> int:
    for task, trouble in troubles[:_TOLD]:
        if not isinstance(trouble, UserError):
            raise trouble
        say(f"{task.stage.title}: {trouble}")
    if len(troubles) > _TOLD:
        say(f"… and {len(troubles) - _TOLD:,} more models with trouble")
    return len(troubles)
