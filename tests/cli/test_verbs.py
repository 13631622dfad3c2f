"""The command line: what its verbs print and do."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from command_line import TINY, Attex, write

import attex.runner.run_files
from attex.config.registries import REGISTRIES
from attex.data.corpus import Corpus


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
    assert [line for line in lines if not line.startswith(" ")] == [
        *REGISTRIES,
        "engine",
        "study",
        "conclusion",
        "experiment",
    ]
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
        "figures": 2,
        "explored": 2,
    }
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.json"]


def test_until_corpus_reads_the_data_and_trains_nothing(attex_: Attex) -> None:
    write("tiny.json", TINY)
    code, out, err = attex_("run", "tiny.json", "--until", "corpus", "--output-dir", "out")
    assert (code, out) == (0, "")
    assert "kept 40 / 20 / 20 texts" in err
    assert [path.name for path in Path("out/.cache/2").iterdir()] == ["corpus"]
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
    (folder,) = Path("outputs/.cache/2/corpus").glob("*/")
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
    assert "attex: bad: data/sst/train.txt is missing" in err
    assert "kept 40 / 20 / 20 texts" in err


def test_an_interrupted_run_says_how_to_go_on(attex_: Attex, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object, **options: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(attex.runner.run_files, "run_files", interrupt)
    write("any.json", "{}")
    code, _, err = attex_("run", "any.json")
    assert (code, err) == (130, "\nattex: interrupted; the same command goes on from here\n")


def test_a_reader_that_has_seen_enough_is_no_error_of_each_experiment() -> None:
    write("many.jsonnet", "[{ name: 'of-%d' % n } for n in std.range(1, 300)]")
    command = [sys.executable, "-m", "attex", "run", "many.jsonnet", "--dry-run"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as attex_:
        assert attex_.stdout is not None
        assert attex_.stderr is not None
        assert attex_.stdout.readline() == b"of-1\n"
        attex_.stdout.close()
        assert attex_.stderr.read() == b""
    assert attex_.returncode == 1
