"""Run the snippets of one page, one after the other, in the folder where this is started.

They come as JSON from the standard input. Commands of attex alone run in this process, which has its
libraries already; others in a shell. Python goes on in one namespace, as in a notebook; a block
that begins with the name of a file in a comment is written to that file; a block of text is what the
last block that ran printed, with … for what may be anything, and fractions to within 0.1: another
machine rounds otherwise, and a training carries that on. The first that fails ends it all.
"""

import contextlib
import doctest
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

SHELLS = set("|&;<>$*`\\")
"""Letters that a shell does something with."""

FRACTION = re.compile(r"-?\d+\.\d+")
NAMED = re.compile(r"^(?:#|//) ([\w./-]+\.(?:py|jsonnet|libsonnet|json))$")


class Page:
    """What is left of the snippets that were run: Python's names, and what was printed last."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.printed = ""

    def python(self, text: str, where: str) -> None:
        """Run code, or an example with what it gives, in the names of the page."""
        if text.startswith(">>>"):
            parser, told = doctest.DocTestParser(), io.StringIO()
            test = parser.get_doctest(text, self.names, where, where, 0)
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            runner = doctest.DocTestRunner(optionflags=flags)
            runner.run(test, out=told.write, clear_globs=False)
            assert not runner.failures, told.getvalue()
            return
        with contextlib.redirect_stdout(io.StringIO()) as stdout:
            exec(compile(text, where, "exec"), self.names)
        self.printed = stdout.getvalue()

    def sh(self, text: str, may_fail: bool) -> None:
        """Run commands, the first that fails being the last; one shown with an error may fail."""
        lines = [words for line in text.splitlines() if (words := shlex.split(line, comments=True))]
        plain = not set(text) & SHELLS and all(x[:1] == ["attex"] for x in lines)
        code = self._attex(lines) if plain else self._bash(text)
        assert not code or may_fail, f"exit code {code}\n{self.printed}"

    def _bash(self, text: str) -> int:
        command = ["bash", "-e", "-o", "pipefail", "-c", text]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.printed = done.stdout
        return done.returncode

    def _attex(self, lines: list[list[str]]) -> int:
        from attex.cli import main

        printed, code = io.StringIO(), 0
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            for words in lines:
                sys.argv = words
                try:
                    main()
                except SystemExit as end:
                    code = code or int(end.code or 0)
        self.printed = printed.getvalue()
        return code

    def jsonnet(self, text: str, name: str | None) -> None:
        """Evaluate an experiment, several, or a study, and validate."""
        from attex.config.loading import load_experiments
        from attex.studies.study_file import find_study
        from attex.studies.universes import cells_of

        path = Path(name or "fragment.jsonnet")
        if name is None:
            path.write_text(text, encoding="utf-8")
        study = find_study(path)
        if study is None:
            load_experiments(path)
        else:
            cells_of(study)
        if name is None:
            path.unlink()

    def text(self, text: str) -> None:
        """Compare with what was printed."""
        parts = [re.escape(" ".join(part.split())) for part in FRACTION.sub("0.0", text).split("…")]
        pattern = r"\s?.*?\s?".join(parts).replace(re.escape("0.0"), f"({FRACTION.pattern})")
        found = re.search(pattern, " ".join(self.printed.split()))
        assert found, f"printed was\n{self.printed}"
        for stated, number in zip(FRACTION.findall(text), found.groups(), strict=True):
            assert abs(float(stated) - float(number)) < 0.1, f"{stated} is {number} in\n{self.printed}"


def run(steps: list[dict[str, Any]]) -> None:
    """Run all snippets of a page."""
    page = Page()
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        language, text = step["language"], step["text"]
        named = NAMED.match(text.partition("\n")[0])
        try:
            if named:
                Path(named[1]).parent.mkdir(parents=True, exist_ok=True)
                Path(named[1]).write_text(text, encoding="utf-8")
            if language == "jsonnet":
                page.jsonnet(text, named[1] if named else None)
            elif language == "json":
                json.loads(text)
            elif language == "python" and not named:
                page.python(text, step["where"])
            elif language == "sh":
                page.sh(text, may_fail=bool(following and following["text"].startswith("attex: ")))
            elif language == "text":
                page.text(text)
        except BaseException as error:
            print(f"{step['where']}: {type(error).__name__}: {error}\n\n{text}", file=sys.stderr)
            raise


if __name__ == "__main__":
    # Modules that a page writes are found beside it.
    sys.path.insert(0, "")
    run(json.load(sys.stdin))
