"""Write results/agreement_atlas: all measures against all measures, and which find what decides.

python -m results.agreement_atlas --device cuda --jobs 14

Trains what the cache of the output folder does not hold. With --at-hand it trains nothing: tables keep
the models that they had, and gain those in the cache.
"""

import argparse
from pathlib import Path

from attex.foundations.errors import MissingData
from attex.foundations.progress import say
from attex.runner.workspace import Workspace
from attex.studies.gathering import gathered
from results.agreement_atlas.atlas import Atlas, not_above_chance
from results.agreement_atlas.figures import every_figure
from results.agreement_atlas.tables import write_tables
from results.figures import write_figure
from results.made import MadeModels
from results.study_page import finished, options, write_record
from results.templates import filled

PLACE = Path(__file__).parent
STUDY = PLACE.parent.parent / "experiments" / "studies" / "agreement_atlas.jsonnet"


def main() -> None:
    """Train what is missing, and write tables, figures and page."""
    asked = options(__doc__).parse_args()
    try:
        write_numbers(asked, STUDY, PLACE)
    except MissingData as missing:
        # A page can be made of the tables that are there.
        if not asked.at_hand:
            raise
        say(str(missing))
    write_page(PLACE)


def write_numbers(asked: argparse.Namespace, study: Path, place: Path) -> None:
    """Write the tables of the study's models, and how they came about."""
    workspace = Workspace.at(asked.data_dir, asked.output_dir, asked.device)
    file, models = finished(study, workspace, asked.jobs, asked.at_hand, keep_parts=True)
    runs, _ = gathered(models, file.choices)
    made = MadeModels(place / "models.csv", file, models, workspace, whole_cells=True)
    write_tables(place, runs, models, made)
    made.write()
    write_record(place / "study.json", file, models, workspace, made)


def write_page(place: Path) -> None:
    """Write the page of the tables in a folder, with its figures."""
    atlas = Atlas(place)
    (place / "README.md").write_text(page_text(atlas), encoding="utf-8")
    for old in place.glob("*.svg"):
        old.unlink()
    for name, chart in every_figure(atlas):
        write_figure(place / f"{name}.svg", chart)


def page_text(atlas: Atlas) -> str:
    """Fill the template from the tables."""
    return filled(PLACE, {"not_above_chance": not_above_chance}, atlas=atlas)


if __name__ == "__main__":
    main()
