"""The command line: one line for every bad input, before anything is trained."""

import gzip
import io
import random
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from command_line import CSV, OWN, TINY, Attex, write


def half_an_archive() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for number in range(200):
            text = random.Random(number).randbytes(200).hex().encode()
            member = tarfile.TarInfo(f"aclImdb/train/pos/{number}_9.txt")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return file.getvalue()[: file.tell() // 2]


BAD: dict[str, tuple[dict[str, object], list[str], str]] = {
    "unknown key": (
        {"bad.jsonnet": {"trainr": {}}},
        [],
        "attex: bad.jsonnet: unknown key 'trainr'; did you mean 'trainer'?",
    ),
    "unknown name": (
        {"bad.jsonnet": {"model": {"attention": "tahn"}}},
        [],
        "attex: bad.jsonnet: model.attention: no attention 'tahn'; did you mean 'tanh'?",
    ),
    "wrong type": (
        {"bad.jsonnet": {"trainer": {"epochs": "many"}}},
        [],
        "attex: bad.jsonnet: trainer.epochs: should be a valid integer",
    ),
    "duplicate seed": (
        {"bad.jsonnet": {"seeds": [1, 1]}},
        [],
        "attex: bad.jsonnet: seeds: '1' stands here twice",
    ),
    "jsonnet syntax": (
        {"bad.jsonnet": "{\n  seeds: [0,\n"},
        [],
        "attex: bad.jsonnet:3:1",
    ),
    "no experiment file": (
        {"bda.jsonnet": {}},
        [],
        "attex: bad.jsonnet: no such file; did you mean 'bda.jsonnet'?",
    ),
    "bad override": (
        {"bad.jsonnet": TINY},
        ["-o", "epochs"],
        "attex: -o epochs: expected KEY=VALUE",
    ),
    "bad device": (
        {"bad.jsonnet": TINY},
        ["--device", "gpu"],
        "attex: --device gpu: expected auto, cpu, cuda",
    ),
    "bad until": (
        {"bad.jsonnet": TINY},
        ["--until", "trianing"],
        "attex: --until trianing: expected one of corpus, training, importance, findings, analyses, "
        "report; did you mean 'training'?",
    ),
    "module that fails": (
        {
            "bad.jsonnet": {"imports": ["failing_module"]},
            "failing_module.py": "1/0",
        },
        [],
        "attex: bad.jsonnet: imports: cannot import 'failing_module': division by zero",
    ),
    "missing data": (
        {"bad.jsonnet": {"data": "sst"}},
        [],
        "attex: bad: raw/sst/train.txt is missing (or with .gz): get it from nlp.stanford.edu/sentiment",
    ),
    "missing own file": (
        {"bad.jsonnet": OWN},
        [],
        "attex: bad: own.csv is missing: put it into raw or ",
    ),
    "missing vectors": (
        {"bad.jsonnet": TINY | {"vectors": "v.txt"}},
        [],
        "attex: bad: v.txt is missing: get it from fasttext.cc, ",
    ),
    "truncated archive": (
        {"bad.jsonnet": {"data": "imdb"}, "raw/imdb/aclImdb_v1.tar.gz": half_an_archive()},
        [],
        "attex: bad: raw/imdb",
    ),
    "truncated gz": (
        {
            "bad.jsonnet": {"data": {"type": "csv", "path": "own.csv.gz", "split": "part"}},
            "raw/own.csv.gz": gzip.compress((CSV * 99).encode())[:60],
        },
        [],
        "attex: bad: raw/own.csv.gz is truncated or damaged",
    ),
    "line that is no tree": (
        {"bad.jsonnet": {"data": "sst"}}
        | {f"raw/sst/{split}.txt": "no tree\n" for split in ("train", "dev", "test")},
        [],
        "attex: bad: raw/sst/train.txt line 1 is not a labelled tree",
    ),
    "empty text": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV + ",good,test\n"},
        [],
        "attex: bad: raw/own.csv row 7: the text has no token that could be scored",
    ),
    "no scorable token": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV + "?!,good,test\n"},
        ["-o", "data.tokenizer=words_only"],
        "attex: bad: raw/own.csv row 7: the text has no token that could be scored",
    ),
    "one class only": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV.replace(",bad,", ",good,")},
        [],
        "attex: bad: the training texts have one class only: 'good'",
    ),
    "label outside the set": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV},
        ["-o", 'data.labels=["good","evil"]'],
        "attex: bad: raw/own.csv row 2: label 'bad' is not one of ['good', 'evil']",
    ),
    "label that train lacks": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV + "a day,ugly,test\n"},
        [],
        "attex: bad: text 7 of test has label 'ugly', which is not one of ['bad', 'good']",
    ),
    "no such column": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV},
        ["-o", "data.text=txt"],
        "attex: bad: raw/own.csv row 1: no column 'txt'; did you mean 'text'?",
    ),
    "row of another length": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV + "a,b,c,d\n"},
        [],
        "attex: bad: raw/own.csv row 7 has 4 cells, but the header has 3",
    ),
    "empty split": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV.replace(",dev", ",train")},
        [],
        "attex: bad: no text is left in the dev split (0 were read)",
    ),
    "vectors of another width": (
        {"bad.jsonnet": TINY | {"vectors": "v.txt"}, "raw/v.txt": "the 1 2 3\n"},
        [],
        "attex: bad: raw/v.txt line 1 has vectors of width 3, but model.embedding_width is 8",
    ),
    "truth where there is none": (
        {"bad.jsonnet": OWN | {"analyses": ["truth"]}, "raw/own.csv": CSV},
        [],
        "attex: bad: analysis 'truth' needs a dataset that marks the deciding tokens",
    ),
    "agreement of one measure": (
        {"bad.jsonnet": TINY | {"importance": ["attention"]}},
        [],
        "attex: bad: analysis 'agreement' needs two measures or more, not ['attention']",
    ),
}


@pytest.mark.parametrize("case", list(BAD))
def test_bad_input_is_one_line_and_trains_nothing(attex_: Attex, case: str) -> None:
    files, arguments, message = BAD[case]
    for name, content in files.items():
        write(name, content)
    places = ["--data-dir", "raw", "--output-dir", "out"]
    code, out, err = attex_("run", "bad.jsonnet", *places, *arguments)
    stages_begun = ("corpus: ", "vectors: ", "  kept ")
    (line,) = (line for line in err.splitlines() if not line.startswith(stages_begun))
    assert line.startswith(message)
    assert code in (1, 2)
    assert out == ""
    assert not Path("out/.cache/training").exists()


@pytest.mark.parametrize("arguments", [("show", "gone.json"), ("list", "mesure")])
def test_other_verbs_answer_bad_input_with_one_line_too(
    attex_: Attex, arguments: tuple[str, ...]
) -> None:
    code, out, err = attex_(*arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("attex: ")


def test_a_bad_kind_is_answered_with_the_nearest(attex_: Attex) -> None:
    assert attex_("list", "mesure")[2] == "attex: no kind 'mesure'; did you mean 'measure'?\n"
    assert attex_("list", "qq")[2].startswith("attex: no kind 'qq'; known: dataset, encoder, ")


def test_python_dash_m_attex_is_attex_and_shows_no_traceback() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "attex", "show", "gone.json"], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == "attex: gone.json: no such file\n"
