"""Lay a finished experiment out as a run folder."""

import os
import shutil
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attex.analyses.analysis import ANALYSED
from attex.analyses.summary import frame
from attex.analyses.views import narrow
from attex.charts.pictures import PICTURES
from attex.claims.matching import PUBLISHED, beside
from attex.data.corpus import Corpus
from attex.foundations.csv_cells import harmless
from attex.foundations.divergences import distribution
from attex.foundations.ownership import is_abandoned, own_name
from attex.foundations.storage import PARTIAL, read_json, read_tensors, write_json, write_text
from attex.models.pretrained_folder import JOINED, PRETRAINED
from attex.report.explorer import FOLDER, Explored, pack_run
from attex.report.run_page import LEFT_OUT_ROWS, render_run
from attex.runner.evidence import gather, read_result
from attex.runner.kept import corpus_in
from attex.runner.latex import to_latex
from attex.runner.plan import Plan
from attex.runner.quantities import read_quantities
from attex.runner.workspace import Workspace

if TYPE_CHECKING:
    import polars as pl

    from attex.analyses.analysis import Evidence


def write_run_folder(plan: Plan, workspace: Workspace, manifest: dict[str, Any]) -> Path:
    """Assemble `<output>/<experiment>/<timestamp>` from the cache; it is there whole or not at all."""
    place = workspace.output / plan.config.name
    return write_whole(place, lambda folder: _fill(folder, plan, workspace, manifest))


def write_whole(place: Path, fill: Callable[[Path], None]) -> Path:
    """Have a folder filled, and then named by the time; it is there whole or not at all."""
    place.mkdir(parents=True, exist_ok=True)
    for left in filter(is_abandoned, place.glob(f"*{PARTIAL}")):
        shutil.rmtree(left, ignore_errors=True)
    partial = place / f"{own_name()}{PARTIAL}"
    partial.mkdir()
    fill(partial)
    return _named_by_time(partial)


def _fill(partial: Path, plan: Plan, workspace: Workspace, manifest: dict[str, Any]) -> None:
    cache, config = workspace.cache, plan.config.resolved()
    evidence = _evidence(plan, workspace)
    folders = {name: cache.folder(stage) for name, stage in plan.analyses.items()}
    results = {name: read_result(folder) for name, folder in folders.items()}
    metrics = _metrics(plan, workspace, evidence.corpus)
    write_json(partial / "config.json", config)
    write_json(partial / "manifest.json", manifest)
    write_json(partial / "metrics.json", metrics)
    write_json(partial / "vocabulary.json", _vocabulary(evidence.corpus))
    for number, (seed, stages) in enumerate(plan.seeds.items()):
        name = "model.safetensors" if number == 0 else f"model_seed_{seed}.safetensors"
        shutil.copyfile(cache.folder(stages.training) / "model.safetensors", partial / name)
        for source, of_source in plan.every_source().items():
            weights = cache.folder(of_source.at(seed).training) / "model.safetensors"
            shutil.copyfile(weights, partial / f"source_{source}_seed_{seed}.safetensors")
    if plan.pretrained:
        shutil.copytree(cache.folder(plan.corpus) / PRETRAINED, partial / PRETRAINED)
    instances(evidence).write_parquet(partial / "instances.parquet")
    for name, result in results.items():
        for table_name, table in result.tables.items():
            write_table(partial / table_name, table)
            if table_name.startswith("tables/"):
                view = plan.methods[name].view(table_name.removeprefix("tables/"), table)
                _write_latex(partial / table_name, view, plan)
    numbers, sums = read_quantities(folders.values())
    write_table(partial / "tables" / "numbers", _about(plan, numbers))
    sums.write_parquet(partial / "sums.parquet")
    (partial / "graphs").mkdir()
    for stage in plan.figures.values():
        for kind in PICTURES:
            for figure in cache.folder(stage).glob(f"*.{kind}"):
                shutil.copyfile(figure, partial / "graphs" / figure.name)
    headlines = [
        {"analysis": name} | vars(headline)
        for name, result in results.items()
        for headline in result.headline
    ]
    write_table(partial / "headlines", frame(headlines))
    claims = beside({name: t for result in results.values() for name, t in result.tables.items()})
    if claims:
        published = frame(claims)
        write_table(partial / "tables" / "published", published)
        _write_latex(partial / "tables" / "published", narrow(published, PUBLISHED), plan)
    analyses = [(plan.methods[name], result) for name, result in results.items()]
    index, scripts = pack_run(evidence, _explored(plan, workspace))
    (partial / FOLDER).mkdir()
    for name, script in scripts.items():
        write_text(partial / FOLDER / name, script)
    left_out = evidence.corpus.left_out
    if left_out:
        write_table(partial / LEFT_OUT_ROWS.removesuffix(".csv"), frame([asdict(o) for o in left_out]))
    page = render_run(config, metrics, analyses, index, manifest, claims, cache.root, left_out)
    write_text(partial / "report.html", page)


def _vocabulary(corpus: Corpus) -> dict[str, Any]:
    """Return what a model needs to know of the corpus it was trained on to read a new text."""
    known = {"classes": corpus.classes, "markers": corpus.markers, "words": corpus.vocabulary}
    joined = any(part.piece_segments is not None for part in corpus.splits.values())
    return known | ({JOINED: True} if joined else {})


def instances(evidence: "Evidence") -> "pl.DataFrame":
    """One row for each text and seed: its tokens, what is asked of it, and every score."""
    import polars as pl

    texts, corpus = evidence.texts, evidence.corpus
    rows = []
    for seed in evidence.seeds:
        outputs = distribution(seed.logits).tolist()
        for i, (start, end) in enumerate(zip(texts.starts[:-1], texts.starts[1:], strict=True)):
            row: dict[str, Any] = {
                "name": texts.names[i],
                "seed": seed.seed,
                "label": corpus.classes[int(texts.labels[i])],
                "predicted": corpus.classes[int(seed.predicted[i])],
                "output": outputs[i],
                "tokens": corpus.tokens(ANALYSED, i),
            }
            if texts.query_starts is not None:
                row["query"] = corpus.query_tokens(ANALYSED, i)
                asked = slice(*texts.query_starts[i : i + 2].tolist())
                row |= {f"{m} (query)": s[asked].tolist() for m, s in seed.query_scores.items()}
            if texts.truth is not None:
                row["truth"] = texts.truth[start:end].tolist()
            rows.append(row | {m: s[start:end].tolist() for m, s in seed.scores.items()})
    return pl.DataFrame(rows, infer_schema_length=None)


def _evidence(plan: Plan, workspace: Workspace) -> "Evidence":
    cache = workspace.cache
    inputs = {name: cache.folder(stage) for name, stage in plan.evidence().items()}
    corpus = corpus_in(cache.folder(plan.corpus))
    return gather(plan.about(), corpus, plan.measures, plan.config.seeds, inputs)


def _explored(plan: Plan, workspace: Workspace) -> dict[int, Explored]:
    explored = {}
    for seed, stages in plan.seeds.items():
        file = workspace.cache.folder(stages.explored) / "explored.safetensors"
        tensors, facts = read_tensors(file)
        explored[seed] = Explored(tensors, facts["head"])
    return explored


def _about(plan: Plan, table: "pl.DataFrame") -> "pl.DataFrame":
    """Begin every row with what it is about, as in the tables of studies."""
    import polars as pl

    return table.select(*(pl.lit(value).alias(name) for name, value in plan.about().items()), pl.all())


def _metrics(plan: Plan, workspace: Workspace, corpus: Corpus) -> dict[str, Any]:
    cache = workspace.cache
    metrics: dict[str, Any] = {"data": corpus.facts, "seeds": {}}
    if plan.vectors is not None:
        metrics["vectors"] = read_json(cache.folder(plan.vectors) / "coverage.json")
    for seed, stages in plan.seeds.items():
        history = read_json(cache.folder(stages.training) / "history.json")
        test = read_json(cache.folder(stages.predictions) / "metrics.json")
        metrics["seeds"][str(seed)] = {"test": test, "training": history}
    return metrics


def write_table(path: Path, table: "pl.DataFrame") -> None:
    """Write a table as csv; the path is without the ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    harmless(table).write_csv(path.with_name(path.name + ".csv"))


def _write_latex(path: Path, view: "pl.DataFrame", plan: Plan) -> None:
    """Write what a paper prints of a table; a comment says which experiment it is of."""
    seeds = ", ".join(map(str, plan.config.seeds))
    facts = (f"{name} {value}" for name, value in plan.about().items())
    about = f"Table {path.name}: {', '.join(facts)}; seeds {seeds}"
    write_text(path.with_name(path.name + ".tex"), to_latex(view, about))


def _named_by_time(partial: Path) -> Path:
    """Give a finished folder the time as its name, and a number where that is taken."""
    stamp = datetime.now().astimezone().strftime("%Y-%m-%dT%H-%M-%S")
    number = 1
    while True:
        path = partial.with_name(stamp if number == 1 else f"{stamp}-{number}")
        try:
            # To a name that is taken by a folder with anything in it, the system refuses to rename.
            os.rename(partial, path)
        except OSError:
            if not path.exists():
                raise
            number += 1
        else:
            return path
