"""Run folders are whole or absent, also when many processes write them at once."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from small_runs import EXPERIMENT, command, finished, run_folders, started, tables, wait_until, write

import attex
from attex.foundations.errors import UserError
from attex.runner.run_folder import _named_by_time

AT_ONCE, ALL_AT_ONCE = 3, 10
"""How many processes run one experiment at the same time, and how many with `--all`."""


def test_processes_on_one_experiment_leave_each_a_whole_folder(
    tmp_path: Path, whole: dict[str, bytes], everything: bool
) -> None:
    file, output = write(tmp_path), tmp_path / "out"
    count = ALL_AT_ONCE if everything else AT_ONCE
    running = [
        subprocess.Popen(
            command(file, output), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(count)
    ]
    told = [process.communicate(timeout=600) for process in running]
    assert [process.returncode for process in running] == [0] * count, [err for _, err in told]
    folders = run_folders(output)
    assert len(folders) == count
    assert {out.split("open ")[1].strip() for out, _ in told} == {
        str(f / "report.html") for f in folders
    }
    for folder in folders:
        assert tables(folder) == whole
        assert json.loads((folder / "manifest.json").read_text())["seeds"] == [0, 1]


def test_two_seeds_in_the_same_second_do_not_mix(copied: Path, tmp_path: Path) -> None:
    """Two runs of one name and different seeds: each folder is of one of them."""
    files = []
    for seed in (0, 1):
        (tmp_path / str(seed)).mkdir()
        experiment = EXPERIMENT | {"seeds": [seed], "analyses": ["agreement"]}
        # Two measures have fewer charts to draw.
        experiment |= {"importance": ["attention", "gradient"]}
        files.append(write(tmp_path / str(seed), experiment))
        # What it takes is there before the two begin, so that they end in the same second.
        attex.run(files[-1], output_dir=copied, device="cpu")
    running = [subprocess.Popen(command(file, copied), stdout=subprocess.DEVNULL) for file in files]
    assert [process.wait(300) for process in running] == [0, 0]
    assert len(run_folders(copied)) == 4
    for folder in run_folders(copied):
        (seed,) = json.loads((folder / "manifest.json").read_text())["seeds"]
        assert set(attex.load_run(folder).tables["agreement"]["seed"]) == {str(seed)}
        assert set(attex.load_run(folder).instances["seed"]) == {seed}


def test_a_killed_report_is_swept_by_the_next_and_a_living_one_is_not(
    copied: Path, tmp_path: Path
) -> None:
    file = write(tmp_path)
    with started(file, copied) as run:
        wait_until(lambda: list((copied / "walk").glob("*.partial/tables/*")), 120)
        os.kill(run.pid, signal.SIGKILL)
        run.communicate()
    assert list((copied / "walk").glob("*.partial"))
    with started(file, copied) as stopped:
        wait_until(lambda: list((copied / "walk").glob(f"{stopped.pid}-*.partial")), 120)
        os.kill(stopped.pid, signal.SIGSTOP)
        finished(file, copied)
        left = [path.name for path in (copied / "walk").glob("*.partial")]
        assert [name.split("-")[0] for name in left] == [str(stopped.pid)]
        os.kill(stopped.pid, signal.SIGCONT)
        stopped.communicate(timeout=120)
        assert stopped.returncode == 0
    assert len(run_folders(copied)) == 2
    assert not list((copied / "walk").glob("*.partial"))


def test_a_folder_takes_the_next_free_name(tmp_path: Path) -> None:
    names = []
    for number in range(5):
        partial = tmp_path / f"{number}.partial"
        partial.mkdir()
        (partial / "file").write_text(str(number))
        names.append(_named_by_time(partial))
    assert len(set(names)) == 5
    assert [(path / "file").read_text() for path in names] == list("01234")


def test_a_run_folder_is_enough(tmp_path: Path, undisturbed: Path) -> None:
    """Moved anywhere, without its cache, it gives models that do what they did."""
    (folder,) = run_folders(undisturbed)
    moved = tmp_path / "elsewhere"
    subprocess.run(["cp", "-r", str(folder), str(moved)], check=True)
    run = attex.load_run(moved)
    words = {word: row for row, word in enumerate(run.vocabulary["words"])}
    for seed in (0, 1):
        model = run.model(seed)
        row = next(r for r in run.instances.iter_rows(named=True) if r["seed"] == seed)
        batch = _as_batch([words.get(token, 1) for token in row["tokens"]], run.vocabulary["markers"])
        trace = model(batch)
        attention = trace.attention[0][batch.scorable[0]]
        assert attention.tolist() == pytest.approx(row["attention"], abs=1e-6)
        output = trace.logits.double().sigmoid() if trace.logits.shape[1] == 1 else None
        assert output is not None
        assert output[0, 0].item() == pytest.approx(row["output"][1], abs=1e-6)
    with pytest.raises(UserError, match="has no model of seed 7; it has 0, 1"):
        run.model(7)


def _as_batch(tokens: list[int], markers: bool) -> "attex.data.batch.Batch":
    import torch

    from attex.data.batch import Batch
    from attex.data.corpus import END, START

    whole = torch.tensor([[START, *tokens, END] if markers else tokens])
    mask = torch.ones_like(whole, dtype=torch.bool)
    scorable = mask.clone()
    if markers:
        scorable[:, 0] = scorable[:, -1] = False
    nothing = torch.zeros(1, dtype=torch.long)
    return Batch(whole, mask, scorable, labels=nothing, ids=nothing)


def test_the_summary_is_the_headlines_as_a_frame(undisturbed: Path) -> None:
    (folder,) = run_folders(undisturbed)
    run = attex.load_run(folder)
    summary = run.summary
    assert summary.columns[:4] == ["analysis", "question", "quantity", "value"]
    accuracy = summary.filter(summary["quantity"] == "accuracy")["value"][0]
    table = run.tables["performance"]
    assert accuracy == pytest.approx(table.filter(table["seed"] == "all")["accuracy"][0])
    assert {"performance", "truth", "agreement"} == set(summary["analysis"])


def test_an_experiment_says_what_is_done(tmp_path: Path) -> None:
    experiment = attex.Experiment(**EXPERIMENT | {"seeds": [0]})
    assert repr(experiment).endswith("1 seed: nothing done yet)")
    assert repr(experiment).startswith("Experiment('walk', planted(")
    where = {"output_dir": tmp_path, "device": "cpu"}
    assert repr(experiment.train(**where)).endswith("1 seed: trained)")
    assert repr(experiment.evaluate(**where)).endswith("trained and measured)")
    assert repr(experiment.train(**where)).endswith("trained and measured)"), "it still is"
