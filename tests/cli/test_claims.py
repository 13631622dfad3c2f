"""`attex claims`: verdicts from a checkout's results and from a user's runs."""

import subprocess
import sys
from pathlib import Path

from command_line import Attex, write

AGREEMENT = (
    "dataset,encoder,attention,projection,statistic,k,measure_a,measure_b,seed,class,mean,low,high\n"
    + "".join(
        f"sst,lstm,tanh,softmax,kendall_tau,,attention,gradient,{seed},overall,{0.1 + 0.01 * seed},,\n"
        for seed in range(3)
    )
)


def finished_run(name: str = "mine") -> None:
    folder = f"outputs/{name}/2026-01-01T00-00-00"
    write(f"{folder}/manifest.json", {"seeds": [0, 1, 2]})
    write(f"{folder}/headlines.csv", "analysis,question,quantity,value,low,high,chance,ceiling\n")
    write(f"{folder}/tables/agreement.csv", AGREEMENT)


def test_runs_of_ones_own_are_judged(attex_: Attex) -> None:
    finished_run()
    code, out, err = attex_("claims", "--runs", "outputs")
    assert (code, err) == (0, "")
    assert (
        "differs  sst lstm tanh softmax kendall_tau(attention, gradient) overall: published 0.3512"
        in out
    )
    assert "ours 0.110" in out
    assert Path("outputs/claims/README.md").exists()
    assert Path("outputs/claims/claims.csv").exists()
    code, out, _ = attex_("claims", "--runs", "outputs", "--paper", "meister_2021")
    assert code == 0
    assert "jain_wallace_2019" not in out


def test_what_cannot_be_done_is_said_in_a_line(attex_: Attex) -> None:
    for arguments, message in (
        (["--runs", "outputs"], "no finished run in outputs"),
        (["--paper", "mine_2030"], "--paper mine_2030: the ledger has jain_wallace_2019"),
        (["--check", "--runs", "outputs"], "goes without --runs"),
    ):
        code, out, err = attex_("claims", *arguments)
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1
    finished_run()
    write("outputs/mine/2026-01-01T00-00-00/tables/numbers.csv", "dataset,seed\n")
    code, _, err = attex_("claims", "--runs", "outputs")
    assert code == 2
    assert "numbers.csv: no column encoder" in err


def test_the_results_of_a_checkout_can_be_checked(attex_: Attex) -> None:
    assert attex_("claims", "--check") == (0, "", "")


def test_outside_a_checkout_the_missing_tables_are_named(tmp_path: Path) -> None:
    import shutil

    import attex

    shutil.copytree(
        Path(attex.__file__).parent,
        tmp_path / "site" / "attex",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    code = "import sys; sys.argv = ['attex', 'claims']; from attex.cli import main; main()"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path / "site")},
        capture_output=True, text=True,
    )  # fmt: skip
    assert found.returncode == 2
    assert found.stderr == (
        "attex: the tables in results/ lie in a checkout of attex: run there, or give --runs DIR\n"
    )


def test_verdicts_need_no_torch(tmp_path: Path) -> None:
    finished_run()
    code = (
        "import sys; sys.argv = ['attex', 'claims', '--runs', 'outputs']\n"
        "from attex.cli import app\n"
        "app(standalone_mode=False)\n"
        "print(*{'torch', 'polars', 'scipy.stats', 'altair'} & set(sys.modules))\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    assert found.stdout.splitlines()[-1] == ""
