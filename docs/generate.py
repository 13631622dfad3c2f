"""Regenerate what the docs contain of the code: the reference of names, and figures.

`python docs/generate.py reference` writes the reference alone, which trains nothing, and `python
docs/generate.py screenshots` the pictures of page, site and terminal alone, which need a browser.
"""

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from making import (
    analysis_figures,
    exact_adversary_figure,
    published_keys,
    quantity_table,
    reference_pages,
    screenshots,
    top_k_figure,
)

import attex
from attex.charts.pictures import svg_of
from attex.site.building import SiteBuilder

DOCS = Path(__file__).absolute().parent
FIGURES = DOCS / "figures"


def write_reference() -> None:
    """Write the reference, without pages of kinds that are gone, and the tables of other pages."""
    folder, pages = DOCS / "reference", reference_pages.pages()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    for table in (published_keys, quantity_table):
        table.PAGE.write_text(table.page(), encoding="utf-8")


def write_figures() -> None:
    """Run the demo, all analyses, one that deceives and a Transformer; draw what pages show of them."""
    demo = _run(DOCS.parent / "experiments" / "demo.jsonnet")
    shutil.copyfile(demo.path / "graphs" / "truth.svg", FIGURES / "demo_truth.svg")
    everything = _run(DOCS / "making" / "analyses.jsonnet")
    deceptive = _run(DOCS / "making" / "deceptive.jsonnet")
    stacked = _run(DOCS / "making" / "stacked.jsonnet")
    for run, names in (
        (everything, analysis_figures.FROM_THE_RUN),
        (deceptive, analysis_figures.FROM_DECEPTION),
        (stacked, ["stacked_attention"]),
    ):
        for name in names:
            shutil.copyfile(run.path / "graphs" / f"{name}.svg", FIGURES / f"analysis_{name}.svg")
    drawn = dict(analysis_figures.figures(everything))
    drawn |= {"top_k_chance": top_k_figure.figure(), "exact_adversary": exact_adversary_figure.figure()}
    for name, specification in drawn.items():
        (FIGURES / f"{name}.svg").write_text(svg_of(specification), encoding="utf-8")


def write_study_figures() -> None:
    """Run the study of the demo, and copy two of its figures."""
    study = attex.run(DOCS.parent / "experiments" / "studies" / "demo.jsonnet", device="cpu")
    assert isinstance(study, attex.FinishedStudy)
    for name in ("curve", "shares"):
        (figure,) = study.path.glob(f"graphs/{name}_kendall_tau_attention_gradient__*.svg")
        shutil.copyfile(figure, FIGURES / f"study_{name}.svg")


def write_screenshots() -> None:
    """Run the demo, with other attention too, and take pictures of page, site and terminal."""
    run = _run(DOCS.parent / "experiments" / "demo.jsonnet")
    screenshots.of_a_run(run.report, FIGURES)
    screenshots.of_a_terminal(run, FIGURES)
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        folder = Path("outputs")
        for changes in ({}, {"attention": "sdp"}, {"projection": "sparsemax"}):
            written = _demo_with(**changes)
            assert isinstance(attex.run(written, output_dir=folder, device="cpu"), attex.Run)
        screenshots.of_a_site(SiteBuilder(folder).build(), FIGURES)


def _demo_with(attention: str = "tanh", projection: str = "softmax") -> dict[str, Any]:
    """Return a short demo under a name of its own."""
    small = {"embedding_width": 16, "encoder": {"type": "average", "hidden": 16}}
    return {
        "name": f"demo_{attention}_{projection}",
        "data": {"type": "planted", "sizes": [400, 100, 100]},
        "model": small | {"attention": {"type": attention, "projection": projection}},
        "trainer": {"epochs": 4, "learning_rate": 0.01},
        "seeds": [0, 1],
        "analyses": ["agreement", "truth"],
    }


def _run(file: Path) -> attex.Run:
    run = attex.run(file, device="cpu")
    assert isinstance(run, attex.Run)
    return run


if __name__ == "__main__":
    if sys.argv[1:] == ["screenshots"]:
        write_screenshots()
    else:
        write_reference()
        if sys.argv[1:] != ["reference"]:
            write_figures()
            write_study_figures()
            write_screenshots()
