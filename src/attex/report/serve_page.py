"""The page of a run where somebody answers: a box more, for texts that are typed in."""

from attex.foundations.errors import UserError
from attex.report.page import environment

_END = "</body>"


def with_typing(report: str, asks: bool = False) -> str:
    """Add the box to the page of a run, and one for a query where its models ask for one.

    Raises:
        UserError: if the page has no explorer, as one of an earlier version, or of no measures.
    """
    if 'id="explorer-data"' not in report:
        raise UserError(
            "the run's page has no explorer, in which a text could be shown: its experiment has no "
            "measures, or an earlier version of attex made it; run it again"
        )
    page, end, rest = report.rpartition(_END)
    return f"{page}{environment().get_template('serve.html.j2').render(asks=asks)}{end}{rest}"
