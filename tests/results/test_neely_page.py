"""The page of Neely et al. (2022), filled from planted numbers of the models that it asks for."""

import csv
import itertools
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from results.by_seed import Seeds
from results.pairs import MEASURES, among_methods, in_words, mean_of, published_mean, with_attention
from results.paper_numbers import PaperNumbers
from results.papers import FIGURES, PLACE, page_text
from results.shown import SHOWN
from results.study_numbers import CELL, Model, StudyNumbers
from results.templates import TEMPLATE

PAPER = "neely_2022"
SWAPS, SIZES, MINILM = (f"{PAPER}_{name}" for name in ("swaps", "snli", "pretrained"))
SST = ("sst", "lstm", "tanh", "softmax")
SAME = "kendall_tau(deep_lift, deep_lift_shap)"
PAIRS = [f"kendall_tau({a}, {b})" for a, b in itertools.combinations(MEASURES, 2)]


def planted(model: Model, quantity: str, at: PaperNumbers) -> float:
    """Give what was published, a little off; twice as much of one pair, unless a swap mends it."""
    theirs = at.published(model.cell, quantity)
    off = 0.01 * (model.seed - 1)
    if theirs is None:
        return 0.3 + off
    mended = model.setting == "DeepLIFT-SHAP from drawn words"
    return theirs + off + (0.5 if quantity == SAME and not mended else 0.0)


def write_models(folder: Path, study: str, models: list[Model], at: PaperNumbers) -> None:
    """Write numbers of some models of a study as a table beside the page."""
    name = "numbers.csv" if study == PAPER else f"numbers_{study}.csv"
    quantities = dict.fromkeys(["accuracy", *PAIRS, *SHOWN[PAPER]])
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*CELL, "setting", "seed", "quantity", "class", "value"])
        for model in models:
            for quantity in quantities:
                row = [*model.cell, model.setting, model.seed, quantity, "overall"]
                writer.writerow([*row, planted(model, quantity, at)])


@pytest.fixture
def page(tmp_path: Path) -> PaperNumbers:
    """The page with all models of the paper's own study, and none of any other."""
    folder = tmp_path / PAPER
    folder.mkdir()
    shutil.copy(PLACE / PAPER / TEMPLATE, folder / TEMPLATE)
    empty = PaperNumbers(PAPER, tmp_path)
    write_models(folder, PAPER, empty.planned, empty)
    return PaperNumbers(PAPER, tmp_path)


def test_all_numbers_of_bilstms_are_judged_and_none_of_their_transformer(page: PaperNumbers) -> None:
    assert (page.models, page.missing) == (3 * 5 * 3, [])
    assert len(page.judged) == 45
    assert {one.claim.encoder for one in page.judged} == {"lstm"}
    assert {one.claim.quantity for one in page.differing()} == {SAME}
    theirs = [one for one in page.judgements if one.claim.encoder == "distilbert"]
    at_hand = [one for one in theirs if one.claim.dataset in ("sst", "imdb", "snli")]
    assert len(at_hand) == 45
    assert all("another one than ours, and wrongly composed" in one.reason for one in at_hand)


def test_the_page_says_what_the_tables_have(page: PaperNumbers) -> None:
    text = page_text(page)
    assert "with every seed, in 3 of 3\ndatasets; in the paper in 3." in text
    assert "45 BiLSTMs" in text
    assert "42 come out again, 3 differ" in text
    assert "The 45 numbers of their Transformer" in text
    assert "| attention and LIME | 0.133 ✓ | 0.133 (0.123 to 0.143) |" in text
    assert f"- `experiments/studies/{MINILM}.jsonnet`: 45 of 45 models" in text
    assert f"*Not trained yet: `python -m results.papers {PAPER} --study {MINILM}` does.*" in text
    assert "*vectors of length 1*: not trained yet (9 models)." in text
    assert "a state dropped with its word" not in text, "that swap is of another paper"


def test_the_page_with_all_of_its_studies(page: PaperNumbers) -> None:
    for study in (SWAPS, SIZES, MINILM):
        planned = StudyNumbers([page.folder / "none.csv"], [study]).planned
        write_models(page.folder, study, planned, page)
    whole = PaperNumbers(PAPER, page.folder.parent)
    text = page_text(whole)
    assert "ot trained yet" not in text
    assert "Still to be trained" not in text
    assert {one.cause.after for one in whole.differing() if one.cause} == {
        "DeepLIFT-SHAP from drawn words"
    }
    assert "For 3 of the 3 that differ a swap that was run says why." in text
    assert "| SST | learned_entmax | 0.300 (0.290 to 0.310) |" in text
    assert len(whole.together([MINILM]).cells) == 15
    assert "| rollout and LIME | 0.136 | 0.300 (0.290 to 0.310) |" in text


def test_the_figure_has_ours_and_theirs_of_every_pair(page: PaperNumbers) -> None:
    drawn = FIGURES["pairs_of_measures"](page)
    squares = [row for layer in drawn["datasets"].values() for row in layer]
    assert len(squares) == 3 * 2 * len(PAIRS)
    assert json.dumps(drawn).count('"written": ') == len(squares)
    corner = {"row": "DeepLIFT", "column": "DeepLIFT-SHAP"}
    assert "1.37" in {row["written"] for row in squares if corner.items() <= row.items()}


def test_means_over_pairs_are_of_each_seed(page: PaperNumbers) -> None:
    theirs = [page.published(SST, quantity) for quantity in with_attention()]
    mean = np.mean([value for value in theirs if value is not None])
    assert published_mean(page, SST, with_attention()) == pytest.approx(mean)
    expected = [mean - 0.01, mean, mean + 0.01]
    assert mean_of(page, SST, with_attention()).values == pytest.approx(expected)
    assert len(among_methods()) == 9, "ten pairs of five, but for the one that is the same"
    assert mean_of(page, ("sst", "cnn", "tanh", "softmax"), with_attention()) == Seeds(())
    assert in_words(SAME) == "DeepLIFT and DeepLIFT-SHAP"
