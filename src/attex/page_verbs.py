"""The verbs of the command line that explain new texts, and that lay out pages."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

RunName = Annotated[
    str, typer.Argument(metavar="RUN", help="A run folder, or an experiment: then its newest run.")
]
OutputDir = Annotated[Path, typer.Option("--output-dir", help="Where runs and their cache go.")]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:1.")]


def explain(
    run: RunName,
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT]...", help="Each in quotes; without any, the lines of stdin."),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(help="A measure, instead of those of the run; as often as you like."),
    ] = None,
    query: Annotated[
        str | None, typer.Option(help="What is asked of the texts, where the models read two.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The model's; the first if not said.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object a line.")] = False,
    as_html: Annotated[bool, typer.Option("--html", help="Print one HTML page.")] = False,
    device: Device = "cpu",
    output_dir: OutputDir = Path("outputs"),
) -> None:
    """Say what the model of a run predicts for new texts, and how much each of their tokens matters."""
    from attex.explanation import Explainer
    from attex.finished_run import Run
    from attex.foundations.errors import UserError
    from attex.run_list import find_run

    if as_json and as_html:
        raise UserError("--json and --html exclude each other: name one")
    _one_thread()
    explainer = Explainer(Run(find_run(run, output_dir)), seed, device)
    given = [*texts] if texts else _lines_of_input()
    explained = (explainer(text, measure or None, query) for text in given)
    if as_json:
        for one in explained:
            print(json.dumps(one.to_json(), ensure_ascii=False))
    elif as_html:
        from attex import __version__
        from attex.report.explanation_page import render_explanations

        shown = [one.shown() for one in explained]
        print(render_explanations(shown, explainer.run.config, __version__))
    else:
        from rich.console import Console

        from attex.terminal import print_explanation

        console = Console(highlight=False)
        for number, one in enumerate(explained):
            if number:
                print()
            print_explanation(one, console)
    if texts and len(texts) > 1 and not any(len(text.split()) > 1 for text in texts):
        print(
            f"attex: these were {len(texts)} texts of one word each; a text of several goes into quotes",
            file=sys.stderr,
        )


def site(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="The output folder whose runs it shows.")
    ] = Path("outputs"),
    to: Annotated[
        Path | None,
        typer.Option(help="Another folder for the site, with copies of the reports: one to publish."),
    ] = None,
) -> None:
    """Write a static site of an output folder: runs, comparisons, studies, published numbers."""
    from attex.site.building import SiteBuilder

    print(f"site: open {SiteBuilder(folder, to).build()}")


def serve(
    run: RunName,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="On this machine only; 0 is any that is free.")
    ] = 8000,
    device: Device = "cpu",
    output_dir: OutputDir = Path("outputs"),
) -> None:
    """Show the page of a run with a box for texts that are typed in, which its models read at once."""
    from attex.finished_run import Run
    from attex.run_list import find_run
    from attex.serving import TextServer, check_installed, serve

    check_installed()
    _one_thread()
    serve(TextServer(Run(find_run(run, output_dir)), device), port)


def _one_thread() -> None:
    """Compute with one thread: one text has not enough work for two, which would wait for each other."""
    import torch

    torch.set_num_threads(1)


def _lines_of_input() -> Iterator[str]:
    """Yield the texts of stdin, one a line; empty lines are passed over."""
    from attex.foundations.errors import UserError

    if sys.stdin.isatty():
        print("attex: a text a line; Ctrl-D ends them", file=sys.stderr)
    lines = (line for line in sys.stdin if line.strip())
    first = next(lines, None)
    if first is None:
        raise UserError("no text: name one in quotes, or write texts to stdin, one a line")
    yield first
    yield from lines
