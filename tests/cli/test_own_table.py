"""`attex run` on a user's own table: what to write, and from a messy export to a report."""

import csv
import json
import random
from pathlib import Path

import pytest
from command_line import TINY, Attex, write

from attex.config.loading import load_experiments
from attex.foundations.csv_cells import original

EVIL = "<script>alert(1)</script>"


def export(path: str) -> dict[int, str]:
    """Write 600 rows as a spreadsheet exports them; return what is wrong with which row."""
    draw = random.Random(1)
    words = {"1": ["awful", "cold"], "5": ["great", "warm"]}
    rows = []
    for number in range(1, 601):
        stars = draw.choice("15")
        rows.append([str(number), f"the {draw.choice(words[stars])} room {draw.randrange(9)}", stars])
    texts = {40: f"{EVIL} <b>great</b>", 50: "great 😀👍🏽", 60: "חדר נהדר", 70: 'cold,\n"too"\n cold'}
    for number, text in texts.items():
        rows[number - 1][1] = text
    rows[9][1], rows[19], rows[29][2], rows[79][1] = "", ["", "", ""], "", "word " * 2000
    rows[89][2], rows[99] = "4", ["100", f"only two cells {EVIL}"]
    with open(path, "w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=";").writerows([["id", "body", "stars"], *rows])
    return {10: "token", 20: "empty", 30: "empty", 80: "2,000", 90: "split", 100: "cells"}


def test_a_messy_export_reaches_a_report_at_the_first_try(attex_: Attex) -> None:
    import polars as pl

    wrong = export("reviews.csv")
    quick = ["-o", "seeds=[0]", "-o", "trainer.epochs=1", "-o", "model.encoder.hidden=4"]
    quick += [
        "-o",
        'importance=["attention","gradient"]',
        "-o",
        'analyses=["erasure"]',
        "--device",
        "cpu",
    ]
    code, _, err = attex_("run", "reviews.csv", "--text", "body", "--label", "stars", *quick)
    assert code == 0, err
    assert "row 10: the text has no token" in err
    assert Path("reviews.jsonnet").read_text() in err
    (folder,) = Path("outputs/reviews").iterdir()
    listed = original(pl.read_csv(folder / "left_out_rows.csv", infer_schema_length=None))
    found = {int(row["name"]): f"{row['reason']} {row['detail']}" for row in listed.to_dicts()}
    assert found.keys() == wrong.keys()
    assert all(word in found[number] for number, word in wrong.items())
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert 'id="left-out"' in page
    assert EVIL not in page
    facts = json.loads((folder / "metrics.json").read_text())["data"]
    assert sum(facts["left_out"].values()) == len(wrong)
    assert sum(facts["kept"].values()) == 600 - len(wrong)
    assert "semicolon" in facts["remarks"][0]


def test_a_table_without_columns_is_answered_with_what_to_write(attex_: Attex) -> None:
    export("reviews.csv")
    for verb in ("run", "show"):
        code, out, err = attex_(verb, "reviews.csv")
        assert (code, out) == (2, "")
        assert "  attex run reviews.csv --text body --label stars\n" in err
    assert [path.name for path in Path().iterdir()] == ["reviews.csv"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("--text", "bdy", "--label", "stars"), "has no column 'bdy'; did you mean 'body'?"),
        (("--text", "body", "--label", "id"), "column 'id' has 598 different values in 598 rows"),
        (("--label", "stars"), "--text body --label stars"),
    ],
)
def test_wrong_columns_are_said_before_anything_is_written(
    attex_: Attex, columns: tuple[str, ...], message: str
) -> None:
    export("reviews.csv")
    code, _, err = attex_("run", "reviews.csv", *columns)
    assert code == 2
    assert message in err
    assert not Path("reviews.jsonnet").exists()


def test_a_file_that_says_something_else_is_left_alone(attex_: Attex) -> None:
    export("reviews.csv")
    Path("reviews.jsonnet").write_text("{}")
    run = ("run", "reviews.csv", "--text", "body", "--label", "stars", "--dry-run")
    assert attex_(*run)[0] == attex_(*run)[0] == 0
    assert Path("reviews.jsonnet").read_text() == "{}"
    assert sorted(path.name for path in Path().glob("*.jsonnet")) == [
        "reviews-2.jsonnet",
        "reviews.jsonnet",
    ]
    (config,) = load_experiments(Path("reviews-2.jsonnet"))
    assert config.data.options()["label"] == "stars"


def test_columns_are_for_tables_only(attex_: Attex) -> None:
    write("tiny.json", TINY)
    code, _, err = attex_("run", "tiny.json", "--text", "body")
    assert (code, err) == (
        2,
        "attex: tiny.json: --text is for a csv or jsonl file; here, change its data\n",
    )


def test_a_table_with_a_query_reaches_a_page_that_shows_both_texts(attex_: Attex) -> None:
    import polars as pl

    draw = random.Random(2)
    rows = []
    for _ in range(200):
        seen, other = draw.sample(["cat", "dog", "bird"], 2)
        asked = draw.choice([seen, other])
        rows.append([f"a {seen} sits there", f"is it a {asked} {EVIL}?", str(asked == seen)])
    rows[6][1], rows[8][1] = "", " "
    with open("pairs.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["seen", "asked", "right"], *rows])
    code, _, err = attex_("run", "pairs.csv", "--query", "asked", "--label", "right")
    assert code == 2
    assert "  attex run pairs.csv --text seen --label right --query asked\n" in err

    quick = ["-o", "seeds=[0]", "-o", "trainer.epochs=1", "-o", "model.encoder.hidden=4"]
    quick += ["-o", "data.tokenizer=whitespace", "-o", 'analyses=["erasure"]', "--device", "cpu"]
    columns = ["--text", "seen", "--query", "asked", "--label", "right"]
    code, _, err = attex_("run", "pairs.csv", *columns, *quick)
    assert code == 0, err
    assert "row 7: the query is empty: nothing is asked of the text" in err
    assert "2 × the query is empty" in err
    (folder,) = Path("outputs/pairs").iterdir()
    texts = pl.read_parquet(folder / "instances.parquet")
    assert all(" ".join(query).startswith("is it a") for query in texts["query"].to_list())
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Above each text stands what was asked of it." in page
    assert EVIL not in page
