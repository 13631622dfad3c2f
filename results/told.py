"""What a study of a paper says, kept beside the paper's page: sentences, tables and figures."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attex.studies.study import Answer
from results.markdown import plain
from results.study_page import rounded, write_figures

MAIN = {"roar": "madsen_2022_released"}
"""The study whose numbers are those of a folder, where it has another name."""

_DRAWN = 4
"""As many figures of each part are kept."""


def write_told(folder: Path, study: str, answer: Answer, models: int, asked: int) -> None:
    """Write the answer of a study: its sentences as JSON, tables as csv, the first figures as SVG.

    It rests on so many `models` of those that the study file asks for.
    """
    parts: list[dict[str, Any]] = []
    figures: dict[str, str] = {}
    for part in answer.parts:
        drawn = {f"{study}_{name}": name for name in [*part.charts][:_DRAWN]}
        figures |= drawn
        captions = [str(part.charts[name].get("description", part.title)) for name in drawn.values()]
        parts.append(
            {
                "title": part.title,
                "explanation": part.explanation,
                "sentences": list(part.sentences),
                "figures": dict(zip(drawn, captions, strict=True)),
            }
        )
    for part in answer.parts:
        for path, table in part.tables.items():
            # Two studies of a paper may be of the same kind.
            rounded(table).write_csv(folder / f"{study}_{path.removeprefix('tables/')}.csv")
    write_figures(folder, answer, figures)
    facts = {"models": models, "asked": asked, "parts": parts}
    text = json.dumps(facts, indent=2, ensure_ascii=False)
    (folder / f"{study}.json").write_text(text + "\n", encoding="utf-8")


def trained(folder: Path, study: str) -> bool:
    """Say whether a study has an answer, of all of its models or of some."""
    return (folder / f"{study}.json").exists()


def is_poorer(folder: Path, study: str, models: int) -> bool:
    """Say whether an answer would rest on fewer models than the one that is there."""
    path = folder / f"{study}.json"
    return path.exists() and int(json.loads(path.read_text(encoding="utf-8"))["models"]) > models


def told(folder: Path, study: str) -> str:
    """Lay the answer of a study out in Markdown; if there is none yet, say how it is made."""
    path = folder / f"{study}.json"
    if not trained(folder, study):
        further = "" if study == MAIN.get(folder.name, folder.name) else f" --study {study}"
        return f"*Not trained yet: `python -m results.papers {folder.name}{further}` does.*"
    answer = json.loads(path.read_text(encoding="utf-8"))
    lines = [f"{_count(answer)} (`experiments/studies/{study}.jsonnet`).", ""]
    for part in answer["parts"]:
        lines += [f"**{part['title']}** {plain(part['explanation'])}", ""]
        lines += [f"- {plain(sentence)}" for sentence in part["sentences"]] + [""]
        # Figures that are alike have one caption, below the last of them.
        for caption in dict.fromkeys(part["figures"].values()):
            alike = [figure for figure, its in part["figures"].items() if its == caption]
            lines += [line for figure in alike for line in (f"![{part['title']}]({figure}.svg)", "")]
            lines += [f"*{plain(caption)}*", ""]
    return "\n".join(lines).rstrip()


def _count(answer: Mapping[str, Any]) -> str:
    """Say how many models there are, and of how many where some are still to be trained."""
    if answer["models"] == answer["asked"]:
        return f"{answer['models']:,} models"
    return (
        f"{answer['models']:,} of {answer['asked']:,} models; the others are not trained yet, and what "
        "needs them is left out"
    )
