"""The verbs of the command line."""

import json
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
    files: Annotated[list[Path], typer.Argument(help="Experiments: .jsonnet or .json files.")],
    override: Overrides = None,
    device: Device = "auto",
    data_dir: DataDir = None,
    output_dir: OutputDir = Path("outputs"),
    until: Annotated[
        str, typer.Option(help="Stop after corpus, training, importance, findings, analyses or report.")
    ] = "report",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list the stages.")] = False,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Seeds computed side by side.")] = 1,
) -> None:
    """Run experiments; what was computed before is not computed again."""
    from attex.runner.batch import run_files

    try:
        done = run_files(files, override or [], data_dir, output_dir, device, until, dry_run, jobs=jobs)
    except KeyboardInterrupt:
        print("\nattex: interrupted; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(130) from None
    raise typer.Exit(0 if done else 1)


@app.command()
def show(file: Path, override: Overrides = None) -> None:
    """Print an experiment as JSON with every default filled in."""
    from attex.config.loading import load_experiments

    found = load_experiments(file, override or [])
    plain = [one.resolved() for one in found] if isinstance(found, list) else found.resolved()
    print(json.dumps(plain, indent=2, ensure_ascii=False))


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
    from attex.config.registries import REGISTRIES
    from attex.foundations.errors import UserError
    from attex.foundations.registry import did_you_mean

    if kind is not None and kind not in REGISTRIES:
        near = did_you_mean(kind, REGISTRIES) or f"; known: {', '.join(REGISTRIES)}"
        raise UserError(f"no kind '{kind}'{near}")
    for name in [kind] if kind else REGISTRIES:
        print(name)
        for entry in REGISTRIES[name]:
            aliases = f" ({', '.join(entry.aliases)})" if entry.aliases else ""
            cite = f" [{entry.cite}]" if entry.cite else ""
            print(f"  {entry.name + aliases:22} {entry.summary}{cite}")


@app.command()
def data(data_dir: DataDir = None) -> None:
    """Show which datasets are found, and where the others are to be had."""
    from attex.data.folder import DataFolder
    from attex.data.inventory import inventory

    folder = DataFolder.at(data_dir)
    print(f"data folder: {folder.root}{'' if folder.root.is_dir() else ' (not there)'}")
    for line in inventory(folder):
        print(line)


def main() -> None:
    """Run the command line; an error that is the user's to mend is one line and exit code 2."""
    from attex.foundations.errors import UserError

    try:
        app()
    except UserError as error:
        print(f"attex: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        # A full disk, a folder that may not be written: the system's words say enough.
        print(f"attex: {error}", file=sys.stderr)
        sys.exit(2)
