"""The verbs of the command line."""

import io
import json
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
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


@app.command()
def run(
    files: Annotated[
        list[Path],
        typer.Argument(help="Experiments (.jsonnet, .json) or your own texts (.csv, .jsonl)."),
    ],
    override: Overrides = None,
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
    text: Annotated[str | None, typer.Option(help="Of your own table: the column of the texts.")] = None,
    label: Annotated[str | None, typer.Option(help="The column of the labels.")] = None,
    split: Annotated[str | None, typer.Option(help="The column that says train, dev or test.")] = None,
    rationale: Annotated[
        str | None, typer.Option(help="The column of 0/1 marks of the tokens that decide.")
    ] = None,
) -> None:
    """Run experiments; what was computed before is not computed again."""
    _take_threads(jobs)
    from attex.config.own_table import OwnColumns, experiment_files
    from attex.data.folder import DataFolder
    from attex.runner.run_files import run_files

    files = experiment_files(files, OwnColumns(text, label, split, rationale), DataFolder.at(data_dir))

    # Who asks a process to end wants what Ctrl-C does: workers ended, nothing half written.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        done = run_files(
            files,
            override or [],
            data_dir,
            output_dir,
            device,
            until,
            dry_run,
            jobs=jobs,
            engine=engine,
            engine_options=_options(engine_option or []),
            recompute=recompute or [],
        )
    except KeyboardInterrupt:
        print("\nattex: interrupted; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(130) from None
    raise typer.Exit(0 if done else 1)


@app.command()
def show(file: Path, override: Overrides = None) -> None:
    """Print an experiment as JSON with every default filled in."""
    from attex.config.loading import load_experiments

    plain = [config.resolved() for config in load_experiments(file, override or [])]
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
    from attex.catalogue import components, kinds

    known = kinds()
    if kind is not None and kind not in known:
        from attex.foundations.errors import UserError
        from attex.foundations.registry import did_you_mean

        near = did_you_mean(kind, known) or f"; known: {', '.join(known)}"
        raise UserError(f"no kind '{kind}'{near}")
    for name in [kind] if kind else known:
        print(name)
        for component in components(*known[name]):
            print(f"  {component.line()}")


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
    """Read KEY=VALUE each; a value is JSON, or else plain text."""
    from attex.foundations.errors import UserError

    options: dict[str, object] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            raise UserError(f"--engine-option {word}: expected KEY=VALUE, as in partition=gpu")
        try:
            options[key] = json.loads(text)
        except ValueError:
            options[key] = text
    return options


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
