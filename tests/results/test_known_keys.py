"""Which models another machine need not make: those of tables, and of cells that are whole."""

from pathlib import Path

from results.known_keys import known_keys
from results.stored import OfCell, Stored

from attex.studies.run_studies import listed_keys


def test_models_of_tables_and_of_whole_cells_are_known(tmp_path: Path) -> None:
    folder = tmp_path / "a_paper"
    folder.mkdir()
    (folder / "made_numbers.csv").write_text("dataset,seed,key\nsst,0,aa\nsst,1,bb\n", encoding="utf-8")
    (folder / "study.json").write_text('{"models": 2}', encoding="utf-8")
    whole = OfCell("sst lstm tanh softmax", 2, 2, keys="cc dd")
    part = OfCell("imdb lstm tanh softmax", 1, 2, keys="ee")
    of_before = OfCell("20news lstm tanh softmax", 2, 2)
    Stored([whole, part, of_before]).write(folder, "guides")
    found = [*known_keys(tmp_path)]
    assert found == [
        ("a_paper/made_numbers.csv", "aa"),
        ("a_paper/made_numbers.csv", "bb"),
        ("a_paper/guides.json", "cc"),
        ("a_paper/guides.json", "dd"),
    ]


def test_the_lists_of_this_checkout_can_be_read_by_a_study() -> None:
    results = Path(__file__).parents[2] / "results"
    listed = {key for path in results.glob("*/made_*.csv") for key in listed_keys(path)}
    known = {key for _, key in known_keys()}
    assert listed <= known
    # A key is ten bytes in hexadecimal digits.
    assert all(len(key) == 20 and int(key, 16) >= 0 for key in known)
