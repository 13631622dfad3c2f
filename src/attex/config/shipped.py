"""The experiments that come with attex: the demo, the papers', and the library they build on."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def folder() -> Path:
    """Return where they lie: inside an installed package, or beside the source of a checkout."""
    installed = _PACKAGE / "experiments"
    return installed if installed.is_dir() else _PACKAGE.parents[1] / "experiments"


def library() -> list[str]:
    """Return where an `import` is looked for that is not beside the importing file.

    Both `import 'sst.libsonnet'` and `import 'lib/sst.libsonnet'` are found from anywhere.
    """
    return [str(folder()), str(folder() / "lib")]


def names() -> list[str]:
    """Name what can be run: `demo`, `jain_wallace_2019/sst_lstm_tanh`, …"""
    return sorted(
        path.relative_to(folder()).with_suffix("").as_posix() for path in folder().rglob("*.jsonnet")
    )


def find(name: str) -> Path | None:
    """Return the file of a name; None if there is no such experiment."""
    return folder() / f"{name}.jsonnet" if name in names() else None


def first_line(name: str) -> str:
    """Return what an experiment says of itself, in the comment that its file begins with."""
    with (folder() / f"{name}.jsonnet").open(encoding="utf-8") as file:
        line = file.readline()
    return line.removeprefix("//").strip() if line.startswith("//") else ""
