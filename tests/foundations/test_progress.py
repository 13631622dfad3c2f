"""Progress where no terminal listens: a plain line now and then, and not one more."""

from collections.abc import Iterator

import pytest

from attex.foundations import progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still until a test moves it."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def work(clock: list[float], items: int, seconds: float) -> Iterator[int]:
    for item in progress.track(range(items), "work", items):
        yield item
        clock[0] += seconds


def test_items_pass_through_and_quick_work_says_nothing(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(work(clock, 5, seconds=1)) == [0, 1, 2, 3, 4]
    assert capsys.readouterr() == ("", "")


def test_slow_work_says_on_stderr_how_far_it_is_and_how_long_it_takes(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    list(work(clock, 4, seconds=12))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "  work: 25 %, about 36 s left",
        "  work: 50 %, about 24 s left",
        "  work: 75 %, about 12 s left",
    ]


def test_lines_come_no_more_often_than_every_ten_seconds(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    list(work(clock, 12, seconds=4))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == [f"  work: {share} %" for share in (25, 50, 75)]


def test_a_terminal_gets_a_bar_and_the_items_still_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True)
    assert list(progress.track("abc", "work", 3)) == ["a", "b", "c"]
    assert capsys.readouterr().out == ""


def test_the_bar_shows_brackets_as_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    list(progress.track("abc", "measure[hidden]", 3))
    assert "measure[hidden]" in capsys.readouterr().err


def test_words_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    progress.say("hello")
    assert capsys.readouterr() == ("", "hello\n")


def test_work_is_counted_by_its_size_and_not_by_its_items(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    for seconds in progress.track([10, 30, 60], "work", 3, sizes=[10, 30, 60]):
        clock[0] += seconds
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["  work: 10 %, about 1 min 30 s left", "  work: 40 %, about 1 min left"]


def test_one_long_item_is_not_silent(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    for _ in progress.track(["a text"], "work", 1):
        for _ in progress.steps(["ahead", "back"]):
            # One more at every step: 1 + 2 + 3 of 6.
            for size in progress.steps(range(1, 4), [1, 2, 3]):
                clock[0] += 10 * size
    lines = capsys.readouterr().err.splitlines()
    shares = [(1 / 12, 110), (3 / 12, 90), (6 / 12, 60), (7 / 12, 50), (9 / 12, 30)]
    assert lines == [
        f"  work: {100 * share:.0f} %, about {progress.duration(left)} left" for share, left in shares
    ]


def test_what_is_done_in_several_rounds_never_goes_back() -> None:
    heard: list[float] = []

    class Ear:
        def says(self, line: str) -> None:
            raise AssertionError(line)

        def goes_on(self, worker: str, what: str, share: float) -> None:
            heard.append(share)

    with progress.heard_by(Ear()):
        for _ in progress.track(range(2), "work", 2):
            for _ in range(2):
                list(progress.steps(range(4)))
    assert heard == sorted(heard)
    assert heard[0] == 0.0
    assert heard[-1] == 1.0
    assert list(progress.steps("abc")) == ["a", "b", "c"], "nobody tracks it, nobody is told"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (64, "1 min"),
        (160, "2 min 40 s"),
        (599, "10 min"),
        (3599, "1 h 0 min"),
        (7500, "2 h 5 min"),
    ],
)
def test_durations_are_as_exact_as_an_estimate(seconds: float, words: str) -> None:
    assert progress.duration(seconds) == words
