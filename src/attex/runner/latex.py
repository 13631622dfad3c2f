"""The view of a table as LaTeX, for a paper."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attex.analyses.views import interval_of

if TYPE_CHECKING:
    import polars as pl

_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"~": r"$\sim$", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "−": "$-$"}
    | {"ε": r"$\epsilon$", "Δ": r"$\Delta$", "×": r"$\times$", "≥": r"$\geq$", "≤": r"$\leq$"}
)
_HEADINGS = {"null": "chance"}
"""What a reader of a paper calls a column."""
_UNDEFINED = "--"
"""TeX's dash between numbers, where there is none."""


def to_latex(view: "pl.DataFrame", about: str) -> str:
    """Lay a view out with booktabs' rules: a number and its interval are one cell.

    Numbers are aligned by their point, intervals beside them in small print. `about` says in a comment
    what the table is of.
    """
    columns = _columns(view)
    kinds = "".join(column.kind for column in columns)
    comment = " ".join(about.split())
    lines = [
        f"% {comment}",
        r"% Brackets hold 95 % intervals. The preamble needs \usepackage{booktabs}.",
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        _line([column.heading for column in columns]),
        r"\midrule",
    ]
    lines += [_line([column.cells[row] for column in columns]) for row in range(len(view))]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


class _Column:
    """One column of a paper's table: its kind for `tabular`, its heading and its cells."""

    def __init__(self, kind: str, heading: str, cells: list[str]) -> None:
        self.kind, self.heading, self.cells = kind, heading, cells


def _columns(view: "pl.DataFrame") -> list[_Column]:
    columns, place, names = [], 0, view.columns
    while place < len(names):
        own = names[place]
        ends, heading = interval_of(names, place), _words(_HEADINGS.get(own, own).replace("_", " "))
        if ends is not None:
            cells = [_with_interval(*row) for row in view.select(own, *ends).iter_rows()]
            columns.append(_Column(r"r@{\,}l", rf"\multicolumn{{2}}{{c}}{{{heading}}}", cells))
            place += 3
            continue
        kind = "r" if view[own].dtype.is_numeric() else "l"
        columns.append(_Column(kind, heading, [_cell(value) for value in view[own]]))
        place += 1
    return columns


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _with_interval(value: float | None, low: float | None, high: float | None) -> str:
    if _is_absent(value):
        return f"{_UNDEFINED} &"
    if _is_absent(low) or _is_absent(high):
        return f"{_cell(value)} &"
    return rf"{_cell(value)} & {{\scriptsize $[{_decimals(low)}, {_decimals(high)}]$}}"


def _cell(value: Any) -> str:
    if _is_absent(value):
        return _UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        # In mathematics a minus is one; in text it would be a hyphen.
        return f"${_decimals(value)}$"
    return f"{value}" if isinstance(value, int) else _words(value)


def _decimals(value: float | None) -> str:
    # Rounded first: what is nearly 0 from below has no sign.
    return f"{round(value or 0.0, 3) + 0.0:.3f}"


def _is_absent(value: Any) -> bool:
    return value is None or value != value


def _words(value: Any) -> str:
    return str(value).translate(_ESCAPES)
