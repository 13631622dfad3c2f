"""What a user waits for before anything happens, and for the demo."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.timing import Result, within

DEMO = Path(__file__).parent.parent / "experiments" / "demo.jsonnet"


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Time imports, help and the whole demo, each in a process of its own."""
    yield within("import attex", lambda: _python("-c", "import attex"), 0.5, times=3)
    yield within("attex --help", lambda: _python("-m", "attex", "--help"), 1.0, times=3)
    with tempfile.TemporaryDirectory() as output:
        demo = ("-m", "attex", "run", str(DEMO), "--device", "cpu", "--output-dir", output)
        yield within("attex run experiments/demo.jsonnet", lambda: _python(*demo), 60.0)


def _python(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
