"""What is told before long work: how long it takes, and which texts it is for."""

from pathlib import Path

import numpy as np
import pytest
import torch
from small_runs import EXPERIMENT, tables
from toys import make_model

from attex.data.batch import Batch, Batcher, like_batches
from attex.data.corpus import Corpus
from attex.data.split import Split
from attex.runner import estimates
from attex.runner.estimates import Pace, measured

STEP, PAIR = 2e-4, 1e-5
"""Seconds that a made-up measure takes for each position, and for each pair of tokens."""


def texts_of(lengths: list[int]) -> Batcher:
    words = torch.full((sum(lengths),), 4)
    starts = torch.tensor([0, *np.cumsum(lengths)])
    names = [str(n) for n in range(len(lengths))]
    labels, ids = torch.zeros(len(lengths), dtype=torch.long), torch.arange(len(lengths))
    split = Split(words=words, starts=starts, labels=labels, ids=ids, names=names, truth=None)
    return Batcher(
        Corpus([f"w{i}" for i in range(11)], 11, ["no", "yes"], {"test": split}, {}, False), "test"
    )


class Clock:
    """Stands still but for what a measure takes: no timing of this machine decides a test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(estimates.time, "perf_counter", lambda: self.now)

    def measure(self, model: object, batch: Batch) -> torch.Tensor:
        size, length = batch.tokens.shape
        self.now += STEP * length + PAIR * size * length**2
        return torch.zeros(batch.tokens.shape)


def by_hand(lengths: list[int], tokens: int) -> float:
    each = np.array(lengths)
    cut = [each[chosen] for chosen in like_batches(each, tokens)]
    return sum(STEP * max(some) + PAIR * len(some) * max(some) ** 2 for some in cut)


@pytest.mark.parametrize("lengths", [[2000, *range(5, 150)], [300] * 400])
def test_the_pace_of_a_measure_is_found_from_short_beginnings(
    lengths: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    pace = measured(clock.measure, make_model(), texts_of(lengths), 2)
    assert pace is not None
    assert pace.seconds(np.array(lengths), 8192) == pytest.approx(by_hand(lengths, 8192), rel=1e-6)
    assert clock.now < 1.0, "measuring takes less than what it tells of"


def test_quick_work_is_measured_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    assert measured(clock.measure, make_model(), texts_of([20] * 50), 2) is None
    assert clock.now < 0.1


def outliers(lengths: list[int]) -> list[str]:
    return [*estimates._outliers("leave_one_out", Pace(STEP, PAIR, 2), 2, texts_of(lengths), 8192)]


def test_the_text_that_takes_the_time_is_named_and_how_to_leave_it_out() -> None:
    usual = [*range(5, 150)] * 3
    saved = 2 * (by_hand([2000, *usual], 8192) - by_hand(usual, 8192))
    (line,) = outliers([2000, *usual])
    assert line.startswith(
        f"{estimates.duration(saved)} of leave_one_out is for one text of 2,000 tokens"
    )
    assert "data.max_tokens" in line
    assert "the next longest has 149" in line
    (line,) = outliers([1900, 2000, 2000, *usual])
    assert "for 2 texts of 2,000 tokens" in line or "for 3 texts of 1,900 to 2,000 tokens" in line
    assert outliers([300] * 2000) == outliers([2000]) == []


def test_a_run_tells_before_it_trains_and_its_numbers_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import attex

    quiet = attex.run(EXPERIMENT, output_dir=tmp_path / "quiet", device="cpu")
    assert "of work" not in capsys.readouterr().err
    monkeypatch.setattr(estimates, "WORTH_TELLING", 1e-6)
    told = attex.run(EXPERIMENT, output_dir=tmp_path / "told", device="cpu")
    err = capsys.readouterr().err
    assert "walk: about " in err
    assert err.index("walk: about ") < err.index("training: walk, seed 0")
    assert "leave_one_out " in err.partition("training: walk")[0]
    assert isinstance(quiet, attex.Run)
    assert isinstance(told, attex.Run)
    assert tables(quiet.path) == tables(told.path)
    again = attex.run(EXPERIMENT, output_dir=tmp_path / "told", device="cpu")
    assert again != told
    assert "of work" not in capsys.readouterr().err, "all of it is cached"


@pytest.mark.usefixtures("passing_registrations")
def test_a_measure_that_fails_says_so_in_its_own_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import attex

    (tmp_path / "broken_measure.py").write_text(
        "from attex.importance.measure import MEASURES\n"
        "@MEASURES.register('broken_measure')\n"
        "def broken_measure(model, batch):\n    raise RuntimeError('it is broken')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    config = EXPERIMENT | {"imports": ["broken_measure"], "importance": ["attention", "broken_measure"]}
    with pytest.raises(RuntimeError, match="it is broken"):
        attex.run(config, output_dir=tmp_path, device="cpu")
    assert list((tmp_path / ".cache" / "2" / "training").iterdir())
