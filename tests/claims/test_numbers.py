"""Tables of numbers: both forms, faults in them, and what is pooled."""

import math
from pathlib import Path

import numpy as np
import pytest
from number_files import SST, TAU, rows, write_rows

from attex.claims.ledger import Claim, published
from attex.claims.numbers import BASE, Study, Universes, read_numbers
from attex.foundations.errors import UserError


def claim(**where: str) -> Claim:
    (found,) = published(
        paper="jain_wallace_2019", **({"quantity": TAU, "class_": "overall"} | SST | where)
    )
    return found


def test_a_long_table_is_read_with_its_choices(tmp_path: Path) -> None:
    lines = rows([0.3, 0.4], setting="length 1", width="64")
    first, second = read_numbers(write_rows(tmp_path / "numbers.csv", lines))
    assert (first.value, second.value, first.seed, second.seed) == (0.3, 0.4, "0", "1")
    assert first.cell == tuple(SST.values())
    assert first.choices == {"setting": "length 1", "width": "64"}
    assert (first.setting, first.quantity, first.class_) == ("length 1", TAU, "overall")


def test_a_wide_table_has_a_column_for_each_quantity(tmp_path: Path) -> None:
    line = SST | {"width": "64", "seed": "1", TAU: "0.3", "accuracy": ""}
    tau, accuracy = read_numbers(write_rows(tmp_path / "numbers.csv", [line]))
    assert (tau.quantity, tau.value, tau.class_, tau.choices) == (TAU, 0.3, "overall", {"width": "64"})
    assert math.isnan(accuracy.value)
    assert tau.setting == BASE, "where none is named"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dataset,seed\n", "no column encoder"),
        ("", "no column dataset"),
        (
            "dataset,encoder,attention,projection,seed,quantity,class,value\na,b,c,d,0,x,overall,much\n",
            "line 2: 'much' is no number",
        ),
        ("dataset,encoder,attention,projection,seed,accuracy\na,b,c\n", "line 2: 3 cells"),
    ],
)
def test_a_faulty_table_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=message) as error:
        list(read_numbers(path))
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_seeds_are_pooled_over_cells_with_the_same_encoder_and_attention(tmp_path: Path) -> None:
    values = {
        ("sst", "lstm", "tanh"): [0.30, 0.34, 0.35],
        ("imdb", "lstm", "tanh"): [0.41, 0.47],
        ("sst", "lstm", "sdp"): [0.1, 0.9],
        ("sst", "cnn", "tanh"): [0.2, 0.8],
    }
    lines = []
    for (dataset, encoder, attention), some in values.items():
        cell = {"dataset": dataset, "encoder": encoder, "attention": attention, "projection": "softmax"}
        lines += rows(some, about=cell) + rows([10 * v for v in some], about=cell, class_="positive")
        lines += rows([0.0, 9.0], about=cell, quantity="accuracy")
    study = Study.of("study", read_numbers(write_rows(tmp_path / "numbers.csv", lines)))
    found = study.prediction(claim())
    assert found is not None
    own, other = values["sst", "lstm", "tanh"], values["imdb", "lstm", "tanh"]
    square = (np.var(own, ddof=1) + np.var(other, ddof=1)) / 2
    assert found.spread.deviation == pytest.approx(math.sqrt(square))
    assert (found.spread.freedom, found.seeds) == (pytest.approx(4 / (1 / 2 + 1)), 3)
    by_class = study.prediction(claim(class_="positive"))
    assert by_class is not None
    assert by_class.spread.deviation == pytest.approx(10 * math.sqrt(square))
    assert study.prediction(claim(encoder="average")) is None
    assert study.prediction(claim(), "another setting") is None


def test_two_values_for_one_model_are_refused(tmp_path: Path) -> None:
    lines = rows([0.3], width="64") + rows([0.4], width="128")
    path = write_rows(tmp_path / "numbers.csv", lines)
    with pytest.raises(UserError, match=r"two values of kendall_tau.*sst lstm tanh softmax.*setting"):
        Study.of("study", read_numbers(path))
    assert len(Universes.of(read_numbers(path), {}).about(claim())) == 2, "of a multiverse they are two"


def test_undefined_numbers_are_left_out(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "numbers.csv", rows([0.3, math.nan, 0.5]))
    assert Study.of("study", read_numbers(path)).values(claim()) == [0.3, 0.5]
    assert len(Universes.of(read_numbers(path), {}).about(claim())) == 2


def test_texts_without_impermissible_tokens_have_the_numbers_that_papers_name_so(tmp_path: Path) -> None:
    about = {"dataset": "pronoun without impermissible tokens", "encoder": "lstm"}
    lines = rows([0.6], "accuracy", about=SST | about | {"attention": "linear"})
    (number,) = read_numbers(write_rows(tmp_path / "numbers.csv", lines))
    where = dict(zip(SST, number.cell, strict=True)) | {"quantity": number.quantity}
    assert published(paper="pruthi_2020", **where)[0].mean == 0.633
