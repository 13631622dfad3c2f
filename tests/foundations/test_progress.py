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
