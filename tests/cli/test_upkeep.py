"""The verbs around runs: a folder to start from, what is in outputs, what is in the cache."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from command_line import TINY, Attex, write

import attex
from attex.foundations.ownership import claimed
from attex.run_list import finished_runs

SOURCE = Path(attex.__file__).parents[2] / "experiments"


def size(*places: Path) -> int:
    """Add up the files in some folders, as the system's own walk finds them."""
    found = 0
    for place in places:
        for folder, _, files in os.walk(place):
            found += sum(os.path.getsize(os.path.join(folder, file)) for file in files)
    return found


def kilobytes(*places: Path) -> list[str]:
    found = size(*places)
    return [str(found), "B"] if found < 1000 else [f"{found / 1000:.0f}", "kB"]


def run_folder(name: str, when: str, headlines: str | None, manifest: str = '{"seeds": [0]}') -> Path:
    folder = Path("outputs") / name / when
    write(f"{folder}/manifest.json", manifest)
    if headlines is not None:
        head = "analysis,question,quantity,value,low,high,chance,ceiling\n"
        write(f"{folder}/headlines.csv", head + headlines)
    return folder


def test_the_version_is_printed(attex_: Attex) -> None:
    assert attex_("--version") == (0, f"attex {attex.__version__}\n", "")


def test_the_version_stands_in_one_place() -> None:
    changes = (SOURCE.parent / "CHANGELOG.md").read_text()
    assert changes.split("## ")[1].split()[0] == attex.__version__
    citation = (SOURCE.parent / "CITATION.cff").read_text()
    assert f"\nversion: {attex.__version__}\n" in citation
    assert "\nversion =" not in (SOURCE.parent / "pyproject.toml").read_text()


def test_completion_knows_the_verbs() -> None:
    asked = {"_ATTEX_COMPLETE": "complete_bash", "COMP_WORDS": "attex r", "COMP_CWORD": "1"}
    code = "import sys; sys.argv = ['attex']; from attex.cli import app; app(prog_name='attex')"
    found = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | asked, capture_output=True, text=True
    )
    assert found.stdout.split() == ["run", "runs"]


def test_init_leaves_experiments_that_can_be_run(attex_: Attex) -> None:
    code, out, _ = attex_("init", "mine")
    assert code == 0
    made = Path("mine/experiments")
    assert (made / "demo.jsonnet").read_text() == (SOURCE / "demo.jsonnet").read_text()
    library = sorted(path.name for path in (SOURCE / "lib").iterdir())
    assert sorted(path.name for path in (made / "lib").iterdir()) == library
    assert out.count("written") == len(library) + 3
    with (made / "texts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 600
    assert all(len(row["evidence"].split()) == len(row["text"].split()) for row in rows)
    own = str(made / "own_texts.jsonnet")
    quick = ["seeds=[0]", "trainer.epochs=1", "model.encoder.hidden=4", "data.limit=30"]
    overrides = [word for override in quick for word in ("-o", override)]
    code, out, err = attex_("run", own, *overrides)
    assert (code, "report.html" in out) == (0, True), err
    (found,) = finished_runs(Path("outputs"))
    # Every word's mark is where the tokenizer cut the word.
    assert {*found.headlines} >= {"performance", "truth", "agreement"}


def test_init_changes_no_file_that_is_there(attex_: Attex) -> None:
    write("experiments/demo.jsonnet", "{ seeds: [3] }")
    _, out, _ = attex_("init")
    assert Path("experiments/demo.jsonnet").read_text() == "{ seeds: [3] }"
    assert "kept     experiments/demo.jsonnet: it was there before\n" in out
    assert "written" not in attex_("init")[1]


def test_runs_are_listed_newest_first_with_their_headlines(attex_: Attex) -> None:
    performance = "performance,How often is the model right?,accuracy,0.987,0.97,1.0,0.5,\n"
    truth = "truth,Does a find it?,AUPRC,0.444,0.1,0.7,0.2,\ntruth,Does b?,AUPRC,0.8,0.7,0.9,0.2,\n"
    run_folder("a", "2026-01-02T03-04-05", performance + truth, '{"seeds": [0, 1]}')
    run_folder("b", "2026-01-02T03-04-05-2", performance)
    run_folder("b", "2026-01-02T03-04-06", "agreement,Alike?,'=tau,,,,0.0,1.0\n")
    run_folder("b", "2025-12-31T23-59-59", None)
    run_folder("c", "2025-12-31T23-59-58", "a,b\n", "{")
    run_folder("c", "2025-12-31T23-59-57", "x,y,z,no number,,,,\n")
    run_folder("c", "not a time", performance)
    assert attex_("runs")[1].splitlines() == [
        "2026-01-02 03:04:06  b  1 seed; agreement =tau undefined",
        "2026-01-02 03:04:05  b  1 seed; accuracy 0.99 [0.97, 1.00]",
        "2026-01-02 03:04:05  a  2 seeds; accuracy 0.99 [0.97, 1.00]; truth AUPRC 0.44 [0.10, 0.70]",
        "2025-12-31 23:59:59  b  it has no headlines.csv: an earlier version of attex made it",
        "2025-12-31 23:59:58  c  its manifest.json cannot be read",
        "2025-12-31 23:59:57  c  its headlines.csv cannot be read",
    ]
    assert attex_("runs", "a")[1].splitlines() == [
        "2026-01-02 03:04:05  outputs/a/2026-01-02T03-04-05",
        "  How often is the model right?  accuracy 0.99 [0.97, 1.00] (chance 0.50)",
        "  Does a find it?  AUPRC 0.44 [0.10, 0.70] (chance 0.20)",
        "  Does b?  AUPRC 0.80 [0.70, 0.90] (chance 0.20)",
    ]
    assert attex_("runs", "d")[1] == "no finished run of d in outputs\n"
    assert attex_("runs", "--output-dir", "none")[1] == "no finished run in none\n"


def test_the_cache_is_counted_by_stage_and_experiment_and_pruned(attex_: Attex) -> None:
    write("one.json", TINY | {"analyses": []})
    write("two.json", TINY | {"analyses": [], "seeds": [1]})
    for name in ("one.json", "two.json"):
        assert attex_("run", name)[0] == 0
    root = Path("outputs/.cache/2")
    lines = attex_("cache")[1].splitlines()
    kinds = [path for path in root.iterdir() if path.is_dir()]
    stages = [stage for kind in kinds for stage in kind.iterdir() if stage.is_dir()]
    assert lines[0] == f"{root}: {size(*stages) / 1000:.0f} kB in {len(stages)} stages"
    sizes = {line.split()[0]: line.split()[1:] for line in lines[1:]}
    for kind in kinds:
        assert sizes[kind.name] == [*kilobytes(kind), str(len(list(kind.iterdir())))]
    (manifest,) = Path("outputs/one").glob("*/manifest.json")
    own = {stage["key"] for stage in json.loads(manifest.read_text())["stages"]}
    of_one = [stage for stage in stages if stage.name in own]
    assert sizes["one"] == [*kilobytes(*of_one), str(len(of_one))]
    assert 0 < len(of_one) < len(stages)

    # What an earlier version left goes, what a later one keeps stays, and so does all of ours.
    write("outputs/.cache/training/old/model.safetensors", "x" * 2_000_000)
    write("outputs/.cache/3/training/later/stage.json", "{}")
    write("outputs/one/1-1-aaaaaaaa-0.partial/config.json", "{}")
    os.utime("outputs/one/1-1-aaaaaaaa-0.partial", (0, 0))
    before = attex_("cache")[1].splitlines()[-1]
    assert before == "of no use any more: 2.0 MB in 2 places; --prune removes it"
    assert attex_("cache", "--prune")[1].splitlines()[-1] == "removed: 2.0 MB"
    assert sorted(path.name for path in Path("outputs/.cache").iterdir()) == ["2", "3"]
    assert not list(Path("outputs/one").glob("*.partial"))
    assert all(stage.is_dir() for stage in stages)

    # Without its run folder, what only it was made of can go.
    shutil.rmtree("outputs/one")
    unused = [stage for stage in of_one if stage.parent.name != "corpus"]
    listed = [line for line in attex_("cache")[1].splitlines() if "(in no run folder)" in line]
    assert listed[0].split()[-1] == str(len(unused))
    with claimed(root / "training" / "busy.claim"):
        code, _, err = attex_("cache", "--prune", "--unused")
        assert (code, err.startswith("attex: a run is at work here")) == (2, True)
    attex_("cache", "--prune", "--unused")
    assert {stage for stage in stages if stage.is_dir()} == set(stages) - set(unused)
    assert attex_("run", "two.json", "--dry-run")[1].count("to do") == 0


def test_models_go_from_one_output_folder_to_another(attex_: Attex) -> None:
    write("tiny.json", {"study": "sweep", "base": TINY, "seeds": [0, 1]})
    assert attex_("run", "tiny.json", "--until", "findings")[0] == 0
    code, out, _ = attex_("cache", "--pack", "models.tar.xz")
    assert (code, out.split(", ")[0]) == (0, "models.tar.xz: 2 models")
    for new in (2, 0):
        told = attex_("cache", "--unpack", "models.tar.xz", "--output-dir", "there")
        assert told[:2] == (0, f"models.tar.xz: {new} models new here, {2 - new} were there\n")
    told = attex_("run", "tiny.json", "--until", "findings", "--output-dir", "there")
    assert "2 models: 2 are there, 0 to make" in told[2]
    both = attex_("cache", "--pack", "models.tar.xz", "--prune")
    assert both == (2, "", "attex: --pack, --unpack and --prune go one at a time; nothing was done\n")


def test_removing_is_asked_for_in_full(attex_: Attex) -> None:
    assert attex_("cache", "--unused")[::2] == (
        2,
        "attex: --unused goes with --prune; nothing was removed\n",
    )
    assert attex_("cache")[1] == "outputs/.cache/2: 0 B in 0 stages\n"


def test_listing_runs_imports_little() -> None:
    code = (
        "import sys, attex.cli\n"
        "from typer.testing import CliRunner\n"
        "assert CliRunner().invoke(attex.cli.app, ['runs']).exit_code == 0\n"
        "assert not {'torch', 'numpy', 'polars', 'attex.foundations.registry'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
