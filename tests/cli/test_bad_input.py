"""The command line: one line for every bad input, before anything is trained."""

import gzip
import io
import os
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
        {"bad.jsonnet": OWN, "raw/own.csv": CSV + ",good,test\n" * 7},
        [],
        "attex: bad: 7 of 13 rows cannot be used, which is more than half: 7 × the text has no token",
    ),
    "no scorable token": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV + "?!,good,test\n"},
        ["-o", "data.tokenizer=words_only", "-o", "data.strict=true"],
        "attex: bad: 1 of 7 rows cannot be used (data.strict): 1 × the text has no token",
    ),
    "one class only": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV.replace(",bad,", ",good,")},
        [],
        "attex: bad: the training texts have one class only: 'good'",
    ),
    "label outside the set": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV},
        ["-o", 'data.labels=["ugly","evil"]'],
        "attex: bad: 6 of 6 rows cannot be used, which is more than half: 6 × the label is not one of",
    ),
    "label that train lacks": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV + "a day,ugly,test\n"},
        ["-o", "data.strict=true"],
        "attex: bad: 1 of 7 rows cannot be used (data.strict): 1 × the class is not in every split",
    ),
    "no such column": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV},
        ["-o", "data.text=txt"],
        "attex: bad: raw/own.csv has no column 'txt'; did you mean 'text'?",
    ),
    "row of another length": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV + "a,b,c,d\n"},
        ["-o", "data.strict=true"],
        "attex: bad: 1 of 7 rows cannot be used (data.strict): 1 × more or fewer cells than the header",
    ),
    "empty split": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV.replace(",dev", ",train")},
        ["-o", 'data.labels=["good","bad"]'],
        "attex: bad: no text is left in the dev split (0 were read)",
    ),
    "vectors of another width": (
        {"bad.jsonnet": TINY | {"vectors": "v.txt"}, "raw/v.txt": "the 1 2 3\n"},
        [],
        "attex: bad: raw/v.txt line 1 has vectors of width 3, but model.embedding_width is 8",
    ),
    "half a character in a text": (
        {
            "bad.jsonnet": {"data": {"type": "jsonl", "path": "own.jsonl"}},
            "raw/own.jsonl": '{"text": "fine", "label": 1}\n{"text": "\\ud800", "label": 2}\n',
        },
        ["-o", "data.strict=true"],
        "attex: bad: 2 of 2 rows cannot be used (data.strict): 1 × 'text' holds half a character",
    ),
    "half a character in a key": (
        {"bad.jsonnet": TINY},
        ["-o", '{"\udcff"}=1'],
        "attex: bad.jsonnet: the key '{\"\\udcff\"}' holds half a character",
    ),
    "an integer without end": (
        {"bad.jsonnet": TINY},
        ["-o", f"seeds=[{'9' * 5_000}]"],
        "attex: -o seeds=[999",
    ),
    "brackets without end": (
        {"bad.jsonnet": "[" * 100_000},
        [],
        "attex: bad.jsonnet:1:501: Exceeded maximum parse depth limit",
    ),
    "a class twice": (
        {"bad.jsonnet": OWN, "raw/own.csv": CSV},
        ["-o", 'data.labels=["good","bad","good"]'],
        "attex: bad.jsonnet: data.labels: 'good' stands here twice",
    ),
    "a name that no folder can have": (
        {"bad.jsonnet": TINY},
        ["-o", f"name={'字' * 120}"],
        "attex: bad.jsonnet: name: should have at most 200 bytes",
    ),
    "a module of Python itself": (
        {"bad.jsonnet": {"imports": ["sys"]}},
        [],
        "attex: bad.jsonnet: imports: 'sys' has no source file (.py)",
    ),
    "a module that ends the program": (
        {"bad.jsonnet": {"imports": ["ending_module"]}, "ending_module.py": "import sys; sys.exit(0)"},
        [],
        "attex: bad.jsonnet: imports: 'ending_module' ends the program when imported",
    ),
    "vectors of another language": (
        {"bad.jsonnet": TINY | {"vectors": "v.txt"}, "raw/v.txt": "Gasthaus 1 2 3 4 5 6 7 8\n"},
        [],
        "attex: bad: raw/v.txt has a vector for none of the ",
    ),
    "vectors that are no numbers": (
        {"bad.jsonnet": TINY | {"vectors": "v.txt"}, "raw/v.txt": "the 1 2 3 4 5 6 7 nan\n"},
        [],
        "attex: bad: raw/v.txt line 1: nan is not a finite number",
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
    stages_begun = ("corpus: ", "vectors: ", "  kept ", "  row ")
    (line,) = (line for line in err.splitlines() if not line.startswith(stages_begun))
    # A stage knows its files by their whole path.
    assert line.replace(f"{Path.cwd()}/raw", "raw").startswith(message)
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
    assert attex_("list", "qq")[2].startswith("attex: no kind 'qq'; known: dataset, model, encoder, ")


def test_python_dash_m_attex_is_attex_and_shows_no_traceback() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "attex", "show", "gone.json"], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == "attex: gone.json: no such file\n"


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_what_a_terminal_cannot_show_is_escaped(encoding: str) -> None:
    def call(*arguments: bytes) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "attex", "show", *arguments],
            capture_output=True,
            encoding=encoding,
            check=False,
            env=os.environ | {"PYTHONIOENCODING": f"{encoding}:strict"},
        )

    missing = call(b"\xff\xfe.json")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr == "attex: \\udcff\\udcfe.json: no such file\n"
    write("own.json", {"name": "größe"})
    shown = call(b"own.json")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert ("größe" if encoding == "utf-8" else r"gr\xf6\xdfe") in shown.stdout
