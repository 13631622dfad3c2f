"""What a study of a paper says, laid out on the paper's page: sentences and figures."""

from pathlib import Path

from results.markdown import plain
from results.stored import Stored

MAIN = {"roar": "madsen_2022_released_recursive"}
"""The study whose numbers are those of a folder, where it has another name."""


def trained(folder: Path, study: str) -> bool:
    """Say whether a study has an answer, of all of its models or of some."""
    return Stored.read(folder, study).models > 0


def told(folder: Path, study: str, explained: bool = True) -> str:
    """Lay the answer of a study out in Markdown; if there is none yet, say how it is made.

    What its parts ask is `explained`, unless the page has said so above of another study.
    """
    if not trained(folder, study):
        further = "" if study == MAIN.get(folder.name, folder.name) else f" --study {study}"
        return f"*Not trained yet: `python -m results.papers {folder.name}{further}` does.*"
    answer = Stored.read(folder, study)
    lines = [f"{_count(answer)} (`experiments/studies/{study}.jsonnet`).", ""]
    for part in answer.parts:
        lines += [f"**{part.title}** {plain(part.explanation)}", ""] if explained else []
        lines += [f"- {plain(sentence)}" for sentence in answer.sentences(part)] + [""]
        # Figures that are alike have one caption, below the last of them.
        for caption in dict.fromkeys(part.figures.values()):
            alike = [figure for figure, its in part.figures.items() if its == caption]
            lines += [line for figure in alike for line in (f"![{part.title}]({figure}.svg)", "")]
            lines += [f"*{plain(caption)}*", ""]
    return "\n".join(lines).rstrip()


def _count(answer: Stored) -> str:
    """Say how many models there are, and of how many where some are still to be trained."""
    if answer.models == answer.asked:
        return f"{answer.models:,} models"
    return (
        f"{answer.models:,} of {answer.asked:,} models; the others are not trained yet, and what "
        "needs them is left out"
    )
