"""The rules of the house: who may import whom, and what every public thing has."""

import ast
import importlib
import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import attex
from attex.config.registries import REGISTRIES
from attex.runner.run_files import run_files

SOURCE = Path(attex.__file__).parent
LINE = [
    "foundations",
    "data",
    "models",
    "training",
    "importance",
    "agreement",
    "counterfactual",
    "charts",
    "analyses",
    "claims",
    "report",
    "config",
    "runner",
    "studies",
]
TOP = {
    "catalogue",
    "cli",
    "comparison",
    "experiment",
    "explanation",
    "finished_run",
    "finished_study",
    "run_list",
    "serving",
    "site",
    "starter",
    "terminal",
    "page_verbs",
    "__main__",
    "testing",
}
"""Modules beside the rooms, which may import from all of them."""

BARE = {"data", "models", "training", "importance", "agreement", "counterfactual", "testing"}
BARE_PACKAGES = {"torch", "numpy", "scipy", "entmax", "pydantic", "pydantic_core", "safetensors"}
ON_A_GPU = "models/lstm_kernels.py"
"""The only file that knows Triton, which comes with torch where torch has a GPU."""
PRETRAINED = ("models/pretrained.py", "models/pretrained_folder.py")
"""The only files that know the library of pretrained models, which they import when it is used."""
PRETRAINED_PACKAGES = {"transformers", "huggingface_hub"}
PUBLIC = [
    "Experiment",
    "Explanation",
    "Run",
    "FinishedStudy",
    "compare",
    "load_run",
    "run",
    "models.projections.softmax",
    "models.projections.sparsemax",
    "models.projections.uniform",
    "importance.attention",
    "importance.gradient",
    "importance.leave_one_out",
    "agreement.Agreement",
    "agreement.kendall_tau",
    "agreement.calibrate",
    "agreement.bootstrap",
    "counterfactual.permute",
    "counterfactual.adversarial_search",
    "counterfactual.adversarial_exact",
    "testing.check_importance",
    "testing.check_agreement",
    "testing.model_by_hand",
]

modules = sorted(SOURCE.rglob("*.py"))


def imported(path: Path, everywhere: bool = True) -> set[str]:
    """Every module a file imports, as dotted names; at the top level only unless `everywhere`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = set()
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def room(dotted: str) -> str:
    return dotted.split(".")[1] if dotted.count(".") else ""


@pytest.mark.parametrize("path", modules, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if own in LINE:
        rooms = {room(name) for name in imported(path) if name.startswith("attex.")} - {own}
        ahead = {name for name in rooms & set(LINE) if LINE.index(name) > LINE.index(own)}
        assert not ahead, f"{path.name} in {own} imports {ahead}"
        assert not rooms & TOP
    else:
        assert own in TOP | {"__init__"}, f"{own} is no room of the house"


def test_what_authors_check_with_knows_rooms_up_to_agreement_and_nobody_knows_it() -> None:
    for path in modules:
        rooms = {room(name) for name in imported(path) if name.startswith("attex.")}
        if path.relative_to(SOURCE).parts[0] == "testing":
            assert rooms <= {"testing", *LINE[: LINE.index("agreement") + 1]}
        else:
            assert "testing" not in rooms


@pytest.mark.parametrize("path", modules, ids=lambda path: str(path.relative_to(SOURCE)))
def test_heavy_rooms_import_only_what_a_bare_machine_has(path: Path) -> None:
    if path.relative_to(SOURCE).parts[0] in BARE:
        roots = {name.split(".")[0] for name in imported(path)}
        if path.relative_to(SOURCE).as_posix() in PRETRAINED:
            roots -= PRETRAINED_PACKAGES
        if path.relative_to(SOURCE).as_posix() == ON_A_GPU:
            roots -= {"triton"}
        assert roots <= BARE_PACKAGES | {"attex"} | set(sys.stdlib_module_names)


@pytest.mark.parametrize("path", modules, ids=lambda path: str(path.relative_to(SOURCE)))
def test_pretrained_models_are_read_in_two_files_and_only_when_asked_for(path: Path) -> None:
    def known(everywhere: bool) -> set[str]:
        roots = {name.split(".")[0] for name in imported(path, everywhere)}
        return roots & PRETRAINED_PACKAGES

    assert not known(everywhere=False)
    assert not known(everywhere=True) or path.relative_to(SOURCE).as_posix() in PRETRAINED


def test_stages_before_the_report_need_no_package_of_the_report() -> None:
    code = (
        "import sys\n"
        "for name in ('polars', 'altair', 'vl_convert', 'jinja2', '_jsonnet', 'rich', 'typer',"
        " 'sklearn', 'pandas'):\n"
        "    sys.modules[name] = None\n"
        "from attex.runner.run_files import run_files\n"
        "from pathlib import Path\n"
        "import json, tempfile\n"
        "folder = Path(tempfile.mkdtemp())\n"
        "config = {'data': {'type': 'planted', 'sizes': [20, 10, 10]}, 'trainer': {'epochs': 1},"
        " 'model': {'embedding_width': 4, 'encoder': {'type': 'lstm', 'hidden': 2}}}\n"
        "(folder / 'bare.json').write_text(json.dumps(config))\n"
        "assert run_files([folder / 'bare.json'], output_dir=folder, until='importance')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


READ_THREE_TIMES = """
import os, sys, traceback
import numpy, scipy.stats, torch, torch._dynamo, pydantic, polars, altair, typer, rich
from functools import reduce

def same(name):
    import attex
    read = lambda: reduce(getattr, name.split("."), attex)
    first, second = read(), read()
    import attex.cli, attex.runner.execution, attex.report.page
    third = read()
    assert first is second is third and callable(first), (name, first, second, third)

failed = 0
for name in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        try:
            same(name)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    failed += os.waitpid(child, 0)[1] != 0
sys.exit(failed != 0)
"""
"""Reads each name in a process that knows nothing of attex yet, but has what others wrote."""


def test_a_public_name_is_the_same_the_second_time() -> None:
    command = [sys.executable, "-c", READ_THREE_TIMES, *PUBLIC]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


NEW = {
    "agreement": "from attex.agreement.statistic import STATISTICS\n\n@STATISTICS",
    "importance": "from attex.importance.measure import MEASURES\n\n@MEASURES",
    "models/projections": "from attex.models.projection import PROJECTIONS\n\n@PROJECTIONS",
}
"""How the file of a new component begins, in the packages that publish theirs."""


@pytest.mark.parametrize("first", ["attex.{}.fresh", "attex.{}", "attex.cli"])
def test_a_file_may_have_the_name_of_its_component(first: str, tmp_path: Path) -> None:
    shutil.copytree(SOURCE, tmp_path / "attex", ignore=shutil.ignore_patterns("__pycache__"))
    code = ""
    for folder, beginning in NEW.items():
        function = f"{beginning}.register('fresh')\ndef fresh(): pass\n"
        (tmp_path / "attex" / folder / "fresh.py").write_text(function, encoding="utf-8")
        package = folder.replace("/", ".")
        code += (
            f"import {first.format(package)}\n"
            f"import attex.{package}.fresh\n"
            f"from attex.{package} import fresh\n"
            f"from attex.{package}.fresh import fresh as own\n"
            f"assert fresh is own is attex.{package}.fresh and callable(own), (fresh, own)\n"
        )
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env=environment)


@pytest.mark.parametrize("package", ["agreement", "counterfactual", "testing"])
def test_no_file_has_the_name_of_something_its_package_imports(package: str) -> None:
    module = importlib.import_module(f"attex.{package}")
    files = {path.stem for path in (SOURCE / package).glob("*.py")}
    for name in sorted(files & set(module.__all__)):
        pytest.fail(
            f"attex.{package}.{name} is a function, and {package}/{name}.py would hide it: rename it"
        )


@pytest.mark.parametrize("kind", REGISTRIES)
def test_every_registered_name_says_what_it_is(kind: str) -> None:
    for entry in REGISTRIES[kind]:
        doc = inspect.getdoc(entry.target) or ""
        assert entry.summary, entry.name
        assert entry.summary == entry.summary.strip().rstrip()
        assert len(doc.splitlines()) >= 3 or kind == "dataset", f"{kind} {entry.name}"
        if kind in ("projection", "measure", "statistic", "encoder", "attention", "decoder"):
            assert "→" in doc, f"{kind} {entry.name} does not give its shapes"
            assert entry.cite, f"{kind} {entry.name} has no citation"


def test_importing_attex_is_cheap() -> None:
    code = "import sys, attex; assert not {'torch', 'numpy', 'pydantic'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_help_does_not_load_torch() -> None:
    code = (
        "import sys, attex.cli\n"
        "from typer.testing import CliRunner\n"
        "assert CliRunner().invoke(attex.cli.app, ['--help']).exit_code == 0\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_run_that_finds_all_in_the_cache_loads_nothing_that_computes_or_draws(tmp_path: Path) -> None:
    config = {
        "data": {"type": "planted", "sizes": [20, 10, 10]},
        "model": {"embedding_width": 4, "encoder": {"type": "lstm", "hidden": 2}},
        "trainer": {"epochs": 1},
    }
    (tmp_path / "small.json").write_text(json.dumps(config), encoding="utf-8")
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from attex.runner.run_files import run_files\n"
        "assert run_files([Path('small.json')])\n"
        "slow = {'scipy.stats', 'scipy.optimize', 'torch._dynamo', 'altair', 'pandas'}\n"
        "print(*slow & set(sys.modules))\n"
    )
    assert run_files([tmp_path / "small.json"], output_dir=tmp_path / "outputs")
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, timeout=120, cwd=tmp_path, capture_output=True
    )
    assert found.stdout.splitlines()[-1] == b""


def test_files_are_short() -> None:
    long = {path.name: n for path in modules if (n := len(path.read_text().splitlines())) > 400}
    assert not long


def test_no_two_test_files_have_one_name() -> None:
    """Pytest imports test files by their bare name: the second of two alike is not collected."""
    names = [path.name for path in Path(__file__).parent.rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))
