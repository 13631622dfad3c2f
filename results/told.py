"""What a study of a paper says, kept beside the paper's page: sentences, tables and figures."""

import json
from pathlib import Path
from typing import Any

from attex.studies.study import Answer
from results.study_page import rounded, write_figures

MAIN = {"roar": "madsen_2022_released"}
"""The study whose numbers are those of a folder, where it has another name."""

_DRAWN = 4
"""As many figures of each part are kept."""


def write_told(folder: Path, study: str, answer: Answer, models: int) -> None:
    """Write the answer of a study: its sentences as JSON, tables as csv, the first figures as SVG."""
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
    text = json.dumps({"models": models, "parts": parts}, indent=2, ensure_ascii=False)
    (folder / f"{study}.json").write_text(text + "\n", encoding="utf-8")


def told(folder: Path, study: str) -> str:
    """Lay the answer of a study out in Markdown; if there is none yet, say how it is made."""
    path = folder / f"{study}.json"
    if not path.exists():
        further = "" if study == MAIN.get(folder.name, folder.name) else f" --study {study}"
        return f"*Not trained yet: `python -m results.papers {folder.name}{further}` does.*"
    answer = json.loads(path.read_text(encoding="utf-8"))
    lines = [f"{answer['models']} models (`experiments/studies/{study}.jsonnet`).", ""]
    for part in answer["parts"]:
        lines += [f"**{part['title']}** {part['explanation']}", ""]
        lines += [f"- {sentence}" for sentence in part["sentences"]] + [""]
        for figure, caption in part["figures"].items():
            lines += [f"![{part['title']}]({figure}.svg)", "", f"*{caption}*", ""]
    return "\n".join(lines).rstrip()
