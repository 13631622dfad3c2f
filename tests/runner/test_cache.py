"""Whatever happens to a file of the cache, no other number comes out."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
import pytest
import torch
from small_runs import EXPERIMENT, leftovers, tables

import attex
from attex.config.loading import validate
from attex.foundations.errors import UserError
from attex.foundations.storage import (
    Damaged,
    digest,
    digest_file,
    read_json,
    read_tensors,
    write_json,
    write_tensors,
)
from attex.runner.engine import choose_engine
from attex.runner.evidence import read_result
from attex.runner.execution import execute
from attex.runner.plan import Plan
from attex.runner.stage import Made, Stage
from attex.runner.workspace import Workspace


def run(output: Path) -> attex.Run:
    made = attex.run(EXPERIMENT, output_dir=output, device="cpu")
    assert isinstance(made, attex.Run)
    return made


def laid_out(output: Path) -> dict[str, pl.DataFrame]:
    """Run as far as the analyses and return all of their tables."""
    workspace = Workspace.at(output=output, device="cpu")
    config = validate(EXPERIMENT)
    engine = choose_engine(None, 1, {}, workspace)
    (done,) = execute([config], workspace, engine, until="analyses")
    assert done.trouble is None
    folders = [workspace.cache.folder(s) for s in Plan(config, workspace).analyses.values()]
    return {name: t for folder in folders for name, t in read_result(folder).tables.items()}


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[2 * len(content) // 3] ^= 1
    path.write_bytes(content)


def flip_early(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 10] ^= 16
    path.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], None]] = {
    "cut off": truncate,
    "emptied": lambda path: path.write_bytes(b""),
    "changed": flip,
    "changed early": flip_early,
    "deleted": Path.unlink,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_no_damage_to_any_file_changes_a_number(
    damage: str,
    copied: Path,
    capsys: pytest.CaptureFixture[str],
    everything: bool,
) -> None:
    """Each file in turn; in the sample one of every kind of stage and name, with one kind of damage."""
    root = copied / ".cache" / "2"
    files = sorted(path for path in root.glob("*/*/**/*") if path.is_file())
    # What is drawn has a test of its own, and what only the page shows is not read for tables; what lies
    # beside the stages is only remembered there.
    of_pages = ("figures", "explored")
    files = [path for path in files if path.relative_to(root).parts[0] not in of_pages]
    if not everything:
        files = [*{(path.parent.parent.name, path.name): path for path in files}.values()]
    assert len(files) > 15
    if not everything:
        files = files[[*DAMAGE].index(damage) :: len(DAMAGE)]
    before = laid_out(copied)
    assert len(before) > 5
    for path in files:
        DAMAGE[damage](path)
        capsys.readouterr()
        after = laid_out(copied)
        assert after.keys() == before.keys(), path
        assert all(after[n].equals(t, null_equal=True) for n, t in before.items()), path
        said = capsys.readouterr().err
        assert said.count(str(path)) == 1, (path, said)
        assert "it is made again" in said, (path, said)
    assert leftovers(copied) == []


def stage_of(output: Path, kind: str) -> Path:
    return next(iter(sorted((output / ".cache" / "2" / kind).glob("*/stage.json")))).parent


def forge(folder: Path, name: str) -> None:
    """Make a record say that a file was written so."""
    record = read_json(folder / "stage.json")
    del record["digest"]
    record["files"][name] = digest_file(folder / name)
    write_json(folder / "stage.json", record | {"digest": digest(record)})


def test_weights_that_are_no_numbers_are_one_line_that_names_the_file(copied: Path) -> None:
    for folder in sorted((copied / ".cache" / "2" / "training").iterdir()):
        if folder.is_dir():
            weights, facts = read_tensors(folder / "model.safetensors")
            weights["decoder.linear.weight" if "decoder.linear.weight" in weights else min(weights)][
                0
            ] = float("nan")
            write_tensors(folder / "model.safetensors", weights, facts)
            forge(folder, "model.safetensors")
    with pytest.raises(UserError, match=r"model\.safetensors") as caught:
        run(copied)
    assert "\n" not in str(caught.value)


def test_what_is_made_anew_and_comes_out_different_is_made_use_of(
    copied: Path, whole: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """Else predictions of one model would stand beside scores of another."""
    folder = stage_of(copied, "training")
    weights, facts = read_tensors(folder / "model.safetensors")
    write_tensors(folder / "model.safetensors", {n: w * 1.5 for n, w in weights.items()}, facts)
    forge(folder, "model.safetensors")
    assert tables(run(copied).path) != whole
    said = capsys.readouterr().err
    assert "its input 'training' was made anew and is another now; it is made again" in said
    assert len(re.findall("^importance: ", said, re.MULTILINE)) == 2 * 3


def test_every_input_of_every_stage_is_on_record(copied: Path) -> None:
    config = validate(EXPERIMENT)
    workspace = Workspace.at(output=copied, device="cpu")
    plan = Plan(config, workspace)
    for stage in plan.stages():
        record = workspace.cache.record(stage)
        assert {name: needed["key"] for name, needed in record.inputs.items()} == {
            name: needed.key for name, needed in stage.inputs.items()
        }
        assert record.threads == torch.get_num_threads() or record.threads >= 1
    (analysis,) = (s for s in plan.stages() if s.kind == "analysis" and s.title == "agreement")
    named = workspace.cache.record(analysis).inputs
    assert {"seed 0: predictions", "seed 1: predictions", "seed 0: findings", "seed 1: findings"} <= set(
        named
    )


def test_the_manifest_says_what_each_stage_was_made_of_and_with(copied: Path) -> None:
    manifest = json.loads((run(copied).path / "manifest.json").read_text())
    stages = {stage["key"]: stage for stage in manifest["stages"]}
    for stage in stages.values():
        assert set(stage["inputs"].values()) <= set(stages)
        assert stage["threads"] >= 1
        assert stage["cached"]
    performance = next(s for s in stages.values() if s["title"] == "performance")
    assert len(performance["inputs"]) == 3, "the corpus, and the predictions of both seeds"


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_figure_is_drawn_again_and_a_page_is_whole(
    damage: str, copied: Path, whole: dict[str, bytes]
) -> None:
    root = copied / ".cache" / "2"
    before = {path: path.read_bytes() for path in root.glob("figures/*/*.svg")}
    assert len(before) > 3
    beside = [path for path in root.iterdir() if path.is_file()]
    for path in [*before, *beside]:
        DAMAGE[damage](path)
    made = run(copied)
    assert tables(made.path) == whole
    for path, content in before.items():
        assert path.read_bytes() == content
        assert (made.path / "graphs" / path.name).read_bytes() == content
    assert "vegaEmbed" in made.report.read_text(encoding="utf-8")


class Step(Stage):
    """Leaves one file."""

    kind, version = "step", 1

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: Workspace) -> None:
        assert all(path.is_dir() for path in inputs.values())
        (folder / "made").write_text(self.title)


def test_what_many_need_is_looked_for_once(tmp_path: Path) -> None:
    """A chain in which each step needs the one before in three ways: 3^40 ways lead to the first."""
    workspace = Workspace.at(output=tmp_path, device="cpu")
    chain = [Step.planned("0", {"number": 0})]
    for number in range(1, 41):
        needed = dict.fromkeys(("corpus", "scores", "training"), chain[-1])
        chain.append(Step.planned(str(number), {"number": number}, needed))
    folder = workspace.cache.obtain(chain[-1], workspace)
    assert (folder / "made").read_text() == "40"
    assert all(workspace.cache.has(step) for step in chain)
    # Made by somebody else, and gone.
    workspace.cache.discard(chain[3])
    last = Step.planned("last", {}, {"corpus": Made(chain[3].kind, chain[3].key)})
    with pytest.raises(Damaged, match="not made yet"):
        workspace.cache.obtain(last, workspace)
