"""A table as LaTeX, for a paper."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)


def to_latex(table: "pl.DataFrame") -> str:
    """Lay a table out with booktabs' rules; numbers are right-aligned, to three decimals."""
    numeric = [dtype.is_numeric() for dtype in table.dtypes]
    columns = "".join("r" if right else "l" for right in numeric)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _line(table.columns), r"\midrule"]
    lines += [_line(row) for row in table.iter_rows()]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _line(cells: Any) -> str:
    return " & ".join(_cell(cell) for cell in cells) + r" \\"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "--" if value != value else f"{value:.3f}"
    return str(value).translate(_ESCAPES)
