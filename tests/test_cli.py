"""The command line: what it prints, and one line for every bad input before anything is trained."""

import gzip
import io
import json
import random
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

import attex.runner.batch
from attex.cli import main
from attex.config.registries import REGISTRIES
from attex.data.corpus import Corpus

Attex = Callable[..., tuple[int, str, str]]

TINY = {
    "data": {"type": "planted", "task": "keyword", "sizes": [40, 20, 20]},
    "model": {"embedding_width": 8, "encoder": {"type": "lstm", "hidden": 4}},
    "trainer": {"epochs": 1},
}
CSV = "text,label,part\n" + "".join(
    f"{mood} day,{mood},{part}\n" for part in ("train", "dev", "test") for mood in ("good", "bad")
)
OWN = {"data": {"type": "csv", "path": "own.csv", "split": "part"}, "model": TINY["model"]}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATTEX_DATA", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture
def attex_(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Attex:
    """Call the command line in this process: its exit code, stdout and stderr."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["attex", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capsys.readouterr()

    return call


def write(name: str, content: object) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))


def half_an_archive() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for number in range(200):
            text = random.Random(number).randbytes(200).hex().encode()
            member = tarfile.TarInfo(f"aclImdb/train/pos/{number}_9.txt")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return file.getvalue()[: file.tell() // 2]


def test_show_prints_the_experiment_with_every_default(attex_: Attex) -> None:
    write("tiny.json", TINY)
    code, out, err = attex_("show", "tiny.json", "-o", "seeds=[5]", "--override", "trainer.epochs=4")
    shown = json.loads(out)
    assert (code, err) == (0, "")
    assert (shown["name"], shown["seeds"]) == ("tiny", [5])
    assert (shown["trainer"]["epochs"], shown["trainer"]["batch_size"]) == (4, 32)


def test_what_show_prints_is_an_experiment_file_of_the_same_experiment(attex_: Attex) -> None:
    write("tiny.json", TINY)
    first = attex_("show", "tiny.json")[1]
    write("again.json", first)
    assert attex_("show", "again.json")[1] == first


def test_show_prints_an_array_for_a_file_of_several(attex_: Attex) -> None:
    write("many.jsonnet", "[{ seeds: [s] } for s in [1, 2]]")
    assert [one["seeds"] for one in json.loads(attex_("show", "many.jsonnet")[1])] == [[1], [2]]


def test_schema_prints_a_json_schema_that_tells_right_from_wrong(attex_: Attex) -> None:
    code, out, err = attex_("schema")
    schema = json.loads(out)
    assert (code, err) == (0, "")
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(TINY, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(TINY | {"seedz": [1]}, schema)


def test_list_prints_every_registered_name_with_its_summary(attex_: Attex) -> None:
    code, out, err = attex_("list")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == list(REGISTRIES)
    for registry in REGISTRIES.values():
        for entry in registry:
            (line,) = (one for one in lines if one.split()[0] == entry.name and entry.summary in one)
            assert entry.summary
            assert all(word in line for word in (*entry.aliases, entry.cite))


def test_list_prints_one_kind_when_asked(attex_: Attex) -> None:
    _, out, _ = attex_("list", "projection")
    assert out.splitlines()[0] == "projection"
    assert [line.split()[0] for line in out.splitlines()[1:]] == [
        entry.name for entry in REGISTRIES["projection"]
    ]


def test_data_prints_what_is_found_and_where_the_rest_is_to_be_had(attex_: Attex) -> None:
    for split in ("train", "dev", "test"):
        write(f"raw/sst/{split}.txt", "(3 (2 so) (3 good))\n")
    code, out, err = attex_("data", "--data-dir", "raw")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "data folder: raw"
    (sst,) = (line for line in out.splitlines() if line.split()[0] == "sst")
    (imdb,) = (line for line in out.splitlines() if line.split()[0] == "imdb")
    assert "found, 3 files" in sst
    assert "raw/imdb/aclImdb_v1.tar.gz is missing" in imdb
    assert "get it from ai.stanford.edu" in imdb


def test_data_says_when_there_is_no_folder(attex_: Attex) -> None:
    assert attex_("data")[1].splitlines()[0] == "data folder: data (not there)"


def test_a_dry_run_lists_the_stages_and_writes_nothing(attex_: Attex, tmp_path: Path) -> None:
    write("tiny.json", TINY | {"seeds": [0, 1]})
    code, out, err = attex_("run", "tiny.json", "--dry-run")
    assert (code, err) == (0, "")
    title, *stages = out.splitlines()
    kinds = [line.split()[2] for line in stages]
    assert title == "tiny"
    assert {line.split()[0] for line in stages} == {"to"}
    assert {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)} == {
        "corpus": 1,
        "training": 2,
        "predictions": 2,
        "importance": 6,
        "findings": 2,
        "analysis": 2,
    }
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.json"]


def test_until_corpus_reads_the_data_and_trains_nothing(attex_: Attex) -> None:
    write("tiny.json", TINY)
    code, out, err = attex_("run", "tiny.json", "--until", "corpus", "--output-dir", "out")
    assert (code, out) == (0, "")
    assert "kept 40 / 20 / 20 texts" in err
    assert [path.name for path in Path("out/.cache").iterdir()] == ["corpus"]
    lines = attex_("run", "tiny.json", "--dry-run", "--output-dir", "out")[1].splitlines()
    assert [line.split()[1] for line in lines if line.startswith("cached")] == ["corpus"]
    assert attex_("run", "tiny.json", "--until", "corpus", "--output-dir", "out")[2] == ""


@pytest.mark.usefixtures("passing_registrations")
def test_a_users_measure_and_dataset_run(attex_: Attex) -> None:
    write(
        "plugin_of_the_cli.py",
        '''
from torch import ones_like
from attex.data.reader import READERS, Document
from attex.data.readers.planted import Planted
from attex.importance.measure import MEASURES, only_scorable

@MEASURES.register("all_alike_of_the_cli")
def all_alike(model, batch):
    """One for every token."""
    return only_scorable(ones_like(batch.tokens), batch)

@READERS.register("shouted_of_the_cli")
class Shouted(Planted):
    """Planted texts in capitals."""
    def documents(self, folder):
        for d in super().documents(folder):
            yield Document(d.name, d.split, [w.upper() for w in d.tokens], d.label, d.truth)
''',
    )
    data = TINY["data"] | {"type": "shouted_of_the_cli"}
    own = {"imports": ["plugin_of_the_cli"], "data": data, "importance": ["all_alike_of_the_cli"]}
    write("own.json", TINY | own | {"analyses": ["truth"]})
    code, _, err = attex_("run", "own.json", "--until", "analyses")
    assert code == 0, err
    (folder,) = Path("outputs/.cache/corpus").glob("*/")
    corpus = Corpus.load(folder)
    assert all(word == word.upper() for word in corpus.lexicon[4:])
    headlines = [json.loads(path.read_text()) for path in Path("outputs").glob("**/headline.json")]
    (score,) = (one for lines in headlines for one in lines if one["quantity"] == "AUPRC")
    assert score["question"] == "Does all_alike_of_the_cli find the tokens that decide?"
    # One token of n decides, and where all are tied the precision is 1/n throughout.
    assert score["value"] == pytest.approx((1 / corpus.splits["test"].lengths).mean().item())


def test_experiments_after_one_that_fails_still_run(attex_: Attex) -> None:
    write("bad.json", TINY | {"data": "sst"})
    write("good.json", TINY)
    code, _, err = attex_("run", "bad.json", "good.json", "--until", "corpus")
    assert code == 1
    assert err.startswith("attex: bad: data/sst/train.txt is missing")
    assert "kept 40 / 20 / 20 texts" in err


def test_an_interrupted_run_says_how_to_go_on(attex_: Attex, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object, **options: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(attex.runner.batch, "run_files", interrupt)
    code, _, err = attex_("run", "any.json")
    assert (code, err) == (130, "\nattex: interrupted; the same command goes on from here\n")


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
