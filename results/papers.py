"""Write results/NAME: the models of a paper's study, and its published numbers beside them.

python -m results.papers jain_wallace_2019 --device cuda --jobs 14

Trains what the cache of the output folder does not hold. With --at-hand it trains nothing, and a model
that is missing is missing. `attex claims` then judges all published numbers.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import jinja2
import polars as pl

from attex.claims.ledger import published
from attex.runner.workspace import Workspace
from attex.studies.gathering import gathered
from attex.studies.study_file import find_study
from attex.studies.universes import cells_of
from results.figures import write_figure
from results.lambdas import lambda_rows
from results.markdown import number, table
from results.paper_figures import against_published, differences
from results.paper_numbers import PaperNumbers, kept
from results.running import options
from results.study_page import finished, rounded, write_record

PLACE = Path(__file__).parent
STUDIES = PLACE.parent / "experiments" / "studies"
TEMPLATE = "page.md.jinja"


def models_of(studies: Sequence[str]) -> Counter[str]:
    """Count the models that studies ask for, by dataset; one that several ask for counts once."""
    models = set()
    for name in studies:
        file = find_study(STUDIES / f"{name}.jsonnet")
        assert file is not None
        (setting,) = file.choices
        models |= {
            (*cell.about.values(), setting.names[level], seed)
            for cell in cells_of(file)
            for (level,) in cell.design.levels.tolist()
            for seed in file.seeds
        }
    return Counter(dataset for dataset, *_ in models)


def page_text(paper: PaperNumbers) -> str:
    """Fill the template of a paper's page from its table of numbers."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(paper.folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["number"] = number
    environment.globals |= {"table": table, "models_of": models_of}
    return environment.get_template(TEMPLATE).render(paper=paper)


def write_page(paper: PaperNumbers) -> None:
    """Write the page with its figures."""
    (paper.folder / "README.md").write_text(page_text(paper), encoding="utf-8")
    write_figure(paper.folder / "published.svg", against_published(paper))
    write_figure(paper.folder / "differences.svg", differences(paper))


def main() -> None:
    """Train what is missing, write the numbers, how they came about, and the page."""
    parser = options(__doc__)
    parser.add_argument("paper", help="the name of the paper, as jain_wallace_2019")
    parser.add_argument("--study", help="another study that the paper's page shows, as vector_length")
    asked = parser.parse_args()
    workspace = Workspace.at(asked.data_dir, asked.output_dir, asked.device)
    study = STUDIES / f"{asked.study or asked.paper}.jsonnet"
    file, models = finished(study, workspace, asked.jobs, asked.at_hand, keep_parts=True)
    runs, rows = gathered(models, file.choices)
    rows += lambda_rows(models.cells, runs)
    wanted = kept(rows, published())
    numbers = pl.DataFrame(wanted, infer_schema_length=None).drop("low", "high")
    folder = PLACE / asked.paper
    folder.mkdir(exist_ok=True)
    rounded(numbers).write_csv(folder / f"{asked.study or 'numbers'}.csv")
    if asked.study is None:
        write_record(folder / "study.json", file, models, workspace)
    if (folder / TEMPLATE).exists():
        write_page(PaperNumbers(asked.paper, PLACE))


if __name__ == "__main__":
    main()
