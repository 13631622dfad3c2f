"""Write results/NAME/numbers.csv: what the models of a paper's study have for its published numbers.

python -m results.paper_numbers jain_wallace_2019 --device cuda --jobs 14

Trains what the cache of the output folder does not hold; `attex claims` then judges the numbers.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from attex.claims.ledger import published
from attex.claims.quantities import key_of
from attex.runner.workspace import Workspace
from attex.studies.gathering import gathered
from results.running import options
from results.study_page import finished, rounded

PLACE = Path(__file__).parent
STUDIES = PLACE.parent / "experiments" / "studies"


def of_the_ledger(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    """Keep the numbers whose quantity some paper has published, and no more columns than are read."""
    keys = {claim.key for claim in published()}
    kept = [row for row in rows if key_of(row["quantity"]) in keys]
    return rounded(pl.DataFrame(kept, infer_schema_length=None).drop("low", "high"))


def main() -> None:
    """Train what is missing, and write the numbers."""
    parser = options(__doc__)
    parser.add_argument("paper", help="the name of the study, as jain_wallace_2019")
    asked = parser.parse_args()
    workspace = Workspace.at(asked.data_dir, asked.output_dir, asked.device)
    study = STUDIES / f"{asked.paper}.jsonnet"
    file, models = finished(study, workspace, asked.jobs, asked.at_hand)
    _, rows = gathered(models, file.choices)
    of_the_ledger(rows).write_csv(PLACE / asked.paper / "numbers.csv")


if __name__ == "__main__":
    main()
