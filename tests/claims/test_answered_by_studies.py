"""Which published numbers of models against models the papers' study files answer, and which not."""

from collections.abc import Iterator
from typing import Any

from attex.analyses.analysis import ANALYSES
from attex.claims.ledger import Claim, published
from attex.claims.quantities import key_of, of_whole_texts, projection_of
from attex.claims.reach import AT_HAND
from attex.config import shipped
from attex.models.architecture import MODELS
from attex.studies.run_set import RunSet
from attex.studies.settings import level_names
from attex.studies.study_file import find_study
from attex.studies.universes import cells_of

STUDIES = {
    "wiegreffe_pinter_2019": ("wiegreffe_pinter_2019_table_4", "wiegreffe_pinter_2019_guides"),
    "meister_2021": ("meister_2021_adversaries",),
    "pruthi_2020": ("pruthi_2020", "pruthi_2020_without"),
    "caulfield_2021_replication_of_pruthi": ("pruthi_2020", "pruthi_2020_without"),
    "madsen_2022_recursive_roar": (
        "madsen_2022_released_recursive",
        "madsen_2022_imdb",
        "madsen_2022_snli",
        "madsen_2022_babi",
        "madsen_2022_babi_2",
    ),
}
MEASURED = ("accuracy", "f1", "f1_macro", "jsd(base)", "tvd(base)", "impermissible_mass")
Place = tuple[tuple[str, ...], str]


def offered(name: str) -> Iterator[Place]:
    """Cells and quantities of a study, in the ledger's words: one made-up number for each model."""
    path = shipped.find(f"studies/{name}")
    assert path is not None
    file = find_study(path)
    assert file is not None
    runs = RunSet({choice.name: choice.names for choice in file.choices}, ())
    rows: list[dict[str, Any]] = [
        dict(cell.about)
        | chosen
        | {"seed": 0, "quantity": quantity, "class": "overall", "value": 0.5 + 0.1 * number}
        for cell in cells_of(file)
        for number, chosen in enumerate(level_names(runs, cell.design.levels))
        for quantity in MEASURED
    ]
    named = file.study.as_published(rows)
    for row in rows if named is None else named:
        if row.get("setting", "as published") == "as published":
            dataset, quantity = of_whole_texts(row["dataset"], row["quantity"])
            about = (row["encoder"], row["attention"], projection_of(row["projection"]))
            yield (dataset, *about), key_of(quantity)


def unanswered(paper: str) -> list[Claim]:
    """Numbers of models against models on data at hand that no study file gives."""
    there = {place for name in STUDIES[paper] for place in offered(name)}
    words = ("adversary", "guide=", "lambda=", "without impermissible", "racu_")
    asked = [c for c in published(paper=paper) if any(word in c.quantity for word in words)]
    return [c for c in asked if c.dataset in AT_HAND and (c.cell, c.key) not in there]


def test_the_papers_studies_answer_all_but_a_few_numbers() -> None:
    assert [c.quantity for c in unanswered("wiegreffe_pinter_2019")] == ["lambda(adversary, unfrozen)"]
    assert unanswered("meister_2021") == []
    for paper in ("pruthi_2020", "caulfield_2021_replication_of_pruthi"):
        assert {c.encoder for c in unanswered(paper)} == {"bert"}
    left = unanswered("madsen_2022_recursive_roar")
    lstm = {(c.dataset, c.quantity) for c in left if c.encoder != "roberta"}
    # Of bAbI 3 only a tenth of the training texts is at hand.
    assert {quantity for data, quantity in lstm if data != "babi_3"} == {
        "racu_recursive(integrated_gradients)",
    }


def test_the_study_of_pairs_of_measures_answers_every_bilstm_and_no_other_transformer() -> None:
    there: set[Place] = set()
    for name in ("neely_2022", "neely_2022_pretrained"):
        path = shipped.find(f"studies/{name}")
        assert path is not None
        file = find_study(path)
        assert file is not None
        for cell in cells_of(file):
            (config,) = cell.configs
            (analysis,) = (ANALYSES.bind(spec) for spec in config.analyses)
            offers = analysis.offers(config.importance, MODELS.bind(config.model).encoder_class)
            about = tuple(cell.about[part] for part in ("dataset", "encoder", "attention", "projection"))
            there |= {(about, key_of(quantity)) for quantity in offers}
    asked = [c for c in published(paper="neely_2022_court_of_xai") if c.dataset in AT_HAND]
    answered = [c for c in asked if (c.cell, c.key) in there]
    assert len(asked) == 90
    assert (len(answered), {c.encoder for c in answered}) == (45, {"lstm"})
