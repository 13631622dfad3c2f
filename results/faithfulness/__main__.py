"""Write results/faithfulness: is agreement evidence of faithfulness?

python -m results.faithfulness --device cuda --jobs 14

Trains what the cache of the output folder does not hold. With --at-hand it trains nothing, and leaves
the cells out of which a model is missing.
"""

from pathlib import Path

from attex.runner.workspace import Workspace
from results.study_page import (
    answered,
    finished,
    options,
    write_figures,
    write_record,
    write_tables,
    write_wide,
)

PLACE = Path(__file__).parent
STUDY = PLACE.parent.parent / "experiments" / "studies" / "faithfulness.jsonnet"
PART = "Is agreement evidence of faithfulness?"
TABLE = "faithfulness_within_settings"


def main() -> None:
    """Train what is missing, and write table, figure and page."""
    asked = options(__doc__).parse_args()
    workspace = Workspace.at(asked.data_dir, asked.output_dir, asked.device)
    file, models = finished(STUDY, workspace, asked.jobs, asked.at_hand)
    answer, rows = answered(file, models)
    write_tables(PLACE, answer, (TABLE,))
    write_wide(PLACE / "models.csv", rows, [choice.name for choice in file.choices])
    write_figures(PLACE, answer, {"answer": TABLE})
    write_record(PLACE / "manifest.json", file, models, workspace)
    count = sum(len(cell.configs) for cell in models.cells) * len(models.seeds)
    datasets = dict.fromkeys(cell.about["dataset"] for cell in models.cells)
    page = (PLACE / "template.md").read_text(encoding="utf-8")
    page = page.replace("{MODELS}", f"{count:,}").replace("{DATASETS}", ", ".join(datasets))
    part = [one for one in answer.parts if one.title == PART]
    page = page.replace("{SENTENCES}", "\n".join(f"- {line}" for line in part[0].sentences))
    (PLACE / "README.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
