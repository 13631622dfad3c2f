"""The verbs of the command line."""

import io
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from attex import page_verbs

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Put attention to the test: is it an explanation of what a text model decided?",
)

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="Folder of raw datasets; else ATTEX_DATA, else ./data."),
]
OutputDir = Annotated[Path, typer.Option("--output-dir", help="Where runs and their cache go.")]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:1.")]
Overrides = Annotated[
    list[str] | None, typer.Option("-o", "--override", metavar="KEY=VALUE", help="Set one key.")
]

External = Annotated[
    list[str] | None,
    typer.Option(
        "--ext", metavar="NAME=VALUE", help="A variable for std.extVar, beside the environment's."
    ),
]


def _print_version(asked: bool) -> None:
    if asked:
        from attex import __version__

        print(f"attex {__version__}")
        raise typer.Exit


@app.callback()
def _options_before_the_verb(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None: ...


@app.command()
def run(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Experiments, studies (.jsonnet, .json, a name as `demo`) or your texts (.csv, .jsonl)."
        ),
    ],
    override: Overrides = None,
    ext: External = None,
    device: Device = "auto",
    data_dir: DataDir = None,
    output_dir: OutputDir = Path("outputs"),
    until: Annotated[
        str, typer.Option(help="Stop after corpus, training, importance, findings, analyses or report.")
    ] = "report",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list the stages.")] = False,
    jobs: Annotated[int, typer.Option(min=1, max=10_000, help="Stages computed side by side.")] = 1,
    engine: Annotated[
        str | None, typer.Option(help="serial, processes, ray or slurm; `attex list engine`.")
    ] = None,
    engine_option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="An option of the engine, as partition=gpu."),
    ] = None,
    recompute: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND[=NAME]", help="Make cached stages anew, as importance=gradient."),
    ] = None,
    except_: Annotated[
        list[Path] | None,
        typer.Option(
            "--except",
            metavar="FILE",
            help="Of a study: leave out models that a csv, a manifest or a packed file lists.",
        ),
    ] = None,
    text: Annotated[str | None, typer.Option(help="Of your own table: the column of the texts.")] = None,
    label: Annotated[str | None, typer.Option(help="The column of the labels.")] = None,
    split: Annotated[str | None, typer.Option(help="The column that says train, dev or test.")] = None,
    rationale: Annotated[
        str | None, typer.Option(help="The column of 0/1 marks of the tokens that decide.")
    ] = None,
    query: Annotated[str | None, typer.Option(help="The column with what is asked of the text.")] = None,
) -> None:
    """Run experiments; what was computed before is not computed again."""
    _take_threads(jobs)
    from attex.config.own_table import OwnColumns, experiment_files
    from attex.data.folder import DataFolder
    from attex.foundations.errors import UserError
    from attex.runner.engine import choose_engine, workspace_for
    from attex.runner.run_files import run_files
    from attex.studies.run_studies import run_studies, told_apart

    columns = OwnColumns(text, label, split, rationale, query)
    files = experiment_files(files, columns, DataFolder.at(data_dir))
    overrides, external, options = override or [], _external(ext or []), _options(engine_option or [])
    workspace = workspace_for(engine, data_dir, output_dir, device)

    # Who asks a process to end wants what Ctrl-C does: workers ended, nothing half written.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        studies, experiments = told_apart(files, overrides, external)
        if studies and recompute:
            raise UserError("--recompute is for experiments; a study's models are not made anew by it")
        if experiments and except_:
            raise UserError(f"--except is for the models of studies; {experiments[0]} is an experiment")
        done = not experiments or run_files(
            experiments,
            overrides,
            data_dir,
            output_dir,
            device,
            until,
            dry_run,
            jobs=jobs,
            engine=engine,
            engine_options=options,
            recompute=recompute or [],
            external=external,
        )
        done &= run_studies(
            studies,
            workspace,
            choose_engine(engine, jobs, options, workspace),
            until,
            dry_run,
            except_ or [],
        )
    except KeyboardInterrupt:
        print("\nattex: interrupted; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(130) from None
    raise typer.Exit(0 if done else 1)


@app.command()
def show(file: Path, override: Overrides = None, ext: External = None) -> None:
    """Print an experiment, or a study, as JSON with every default filled in."""
    from attex.config.loading import load_experiments
    from attex.studies.study_file import find_study

    study = find_study(file, override or [], _external(ext or []))
    if study is not None:
        print(json.dumps(study.resolved(), indent=2, ensure_ascii=False))
        return
    configs = load_experiments(file, override or [], _external(ext or []))
    plain = [config.resolved() for config in configs]
    print(json.dumps(plain if len(plain) > 1 else plain[0], indent=2, ensure_ascii=False))


@app.command()
def schema() -> None:
    """Print the JSON Schema of an experiment, for editors."""
    from attex.config.schema import ExperimentConfig

    print(json.dumps(ExperimentConfig.model_json_schema(), indent=2, ensure_ascii=False))


@app.command("list")
def list_names(
    kind: Annotated[str | None, typer.Argument(help="One kind only, as 'measure'.")] = None,
) -> None:
    """List every registered name with its description and citation."""
    from attex.catalogue import catalogue

    for name, lines in catalogue(kind).items():
        print(name)
        for line in lines:
            print(f"  {line}")


@app.command()
def init(folder: Annotated[Path, typer.Argument(help="Where; here if not said.")] = Path()) -> None:
    """Write experiments to start from: the demo, one for a csv file of yours, and their library."""
    from attex.starter import start

    for line in start(folder):
        print(line)
    demo, own = (folder / "experiments" / name for name in ("demo.jsonnet", "own_texts.jsonnet"))
    print(f"next: attex run {demo}, then put your texts into {own.with_name('texts.csv')}")
    print(f"      (or change the path in {own}) and attex run {own}")


@app.command()
def runs(
    experiment: Annotated[
        str | None, typer.Argument(help="Only of this experiment, with every headline.")
    ] = None,
    output_dir: OutputDir = Path("outputs"),
) -> None:
    """List finished runs, newest first, with their headline numbers."""
    from attex.run_list import finished_runs

    found = finished_runs(output_dir, experiment)
    if not found:
        print(f"no finished run{f' of {experiment}' if experiment else ''} in {output_dir}")
    for one in found:
        for line in one.lines() if experiment else [one.line()]:
            print(line)


@app.command()
def compare(
    runs: Annotated[
        list[str],
        typer.Argument(help="Folders of runs, or names of experiments: then the newest run of each."),
    ],
    output_dir: OutputDir = Path("outputs"),
) -> None:
    """Say how finished runs differ from the first of them, on the same texts and seeds."""
    from attex.comparison import compare

    found = compare(*runs, output_dir=output_dir)
    for line in found.lines():
        print(line)
    print(f"compare: open {found.report}")


app.command()(page_verbs.explain)
app.command()(page_verbs.site)
app.command()(page_verbs.serve)


@app.command()
def claims(
    paper: Annotated[str | None, typer.Option(help="Only of this paper, as meister_2021.")] = None,
    runs: Annotated[
        Path | None, typer.Option(help="Judge the runs in this output folder, not the results.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Fail if the page of verdicts is stale.")
    ] = False,
) -> None:
    """Say which published numbers come out again, by the tables in results/ or by runs of yours."""
    from attex.claims import verb
    from attex.foundations.errors import UserError

    verb.known_paper(paper)
    if check and (runs or paper):
        raise UserError(
            "--check looks at the whole page of results/: it goes without --runs and --paper"
        )
    if check:
        trouble = verb.check(verb.results_folder())
        if trouble:
            print(f"attex: {trouble}", file=sys.stderr)
        raise typer.Exit(1 if trouble else 0)
    if runs is None:
        told = verb.of_results(verb.results_folder(), paper)
    else:
        from attex.run_list import finished_runs

        # Newest first: of an experiment that ran often, the last run counts.
        folders = {one.experiment: one.path for one in reversed(finished_runs(runs))}
        told = verb.of_runs(folders, runs, paper)
    for line in told:
        print(line)


@app.command()
def cache(
    output_dir: OutputDir = Path("outputs"),
    prune: Annotated[bool, typer.Option("--prune", help="Remove what no run can use any more.")] = False,
    unused: Annotated[
        bool, typer.Option("--unused", help="With --prune: also stages that no run folder is made of.")
    ] = False,
    pack: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the numbers of studies' models to a file.")
    ] = None,
    unpack: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Take in what another machine has packed.")
    ] = None,
) -> None:
    """Show what is kept for later runs, by kind of stage and by experiment."""
    from attex.foundations.errors import UserError
    from attex.runner import packing, upkeep
    from attex.runner.workspace import Workspace

    if unused and not prune:
        raise UserError("--unused goes with --prune; nothing was removed")
    if sum([pack is not None, unpack is not None, prune]) > 1:
        raise UserError("--pack, --unpack and --prune go one at a time; nothing was done")
    workspace = Workspace.at(output=output_dir, device="cpu")
    if unpack is not None:
        new, known = packing.unpack(unpack, workspace.cache)
        print(f"{unpack}: {upkeep.counted(new, 'model')} new here, {known:,} were there")
        return
    if pack is not None:
        count = packing.pack(pack, workspace.cache)
        print(f"{pack}: {upkeep.counted(count, 'model')}, {upkeep.shown(pack.stat().st_size)}")
        return
    found = upkeep.holdings(workspace)
    for line in found.lines():
        print(line)
    if prune:
        print(f"removed: {upkeep.shown(upkeep.prune(found, workspace, unused))}")


@app.command()
def data(data_dir: DataDir = None) -> None:
    """Show which datasets are found, and where the others are to be had."""
    from attex.data.folder import DataFolder
    from attex.data.inventory import inventory

    folder = DataFolder.at(data_dir)
    print(f"data folder: {folder.root}{'' if folder.root.is_dir() else ' (not there)'}")
    for line in inventory(folder):
        print(line)


def _take_threads(jobs: int) -> None:
    """Tell libraries that load from now on how many threads each job has."""
    import os

    from attex.runner.threads import environment, threads_for

    for name, value in environment(threads_for(jobs)).items():
        os.environ.setdefault(name, value)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _options(words: list[str]) -> dict[str, object]:
    """Read the options of an engine; a value is JSON, or else plain text."""
    options: dict[str, object] = {}
    for key, text in _pairs(words, "--engine-option", "KEY=VALUE, as in partition=gpu"):
        try:
            options[key] = json.loads(text)
        except ValueError:
            options[key] = text
    return options


def _external(words: list[str]) -> dict[str, str]:
    """Read the variables of a file; a value is text."""
    return dict(_pairs(words, "--ext", "NAME=VALUE, as in BATCH=32"))


def _pairs(words: list[str], option: str, form: str) -> Iterator[tuple[str, str]]:
    """Take words apart at their first equals sign; there must be something before it."""
    from attex.foundations.errors import UserError

    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise UserError(f"{option} {word}: expected {form}")
        yield name, text


def main() -> None:
    """Run the command line; an error that is the user's to mend is one line and exit code 2."""
    from attex.foundations.errors import UserError

    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show is no reason to fail, least of all while saying why.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except (UserError, OSError) as error:
        # Of a full disk, or a folder that may not be written, the system's words say enough.
        print(f"attex: {error}", file=sys.stderr)
        sys.exit(2)
