"""Lay a finished experiment out as a run folder."""

import json
import shutil
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attex.analyses.summary import frame
from attex.claims.comparison import beside
from attex.data.corpus import Corpus
from attex.foundations.divergences import distribution
from attex.foundations.storage import read_json, write_json, write_text
from attex.report.examples import choose_examples
from attex.report.page import Section, render_page
from attex.runner.evidence import gather, read_result
from attex.runner.latex import to_latex
from attex.runner.plan import Plan
from attex.runner.stage import Cache

if TYPE_CHECKING:
    import polars as pl

    from attex.analyses.analysis import Evidence


def write_run_folder(plan: Plan, cache: Cache, output: Path, manifest: dict[str, Any]) -> Path:
    """Assemble `<output>/<experiment>/<timestamp>` from the cache; it is there whole or not at all."""
    final = _fresh(output / plan.config.name)
    partial = final.with_name(final.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    evidence = _evidence(plan, cache)
    results = {name: read_result(cache.folder(stage)) for name, stage in plan.analyses.items()}
    metrics = _metrics(plan, cache, evidence.corpus)
    write_json(partial / "config.json", plan.config.resolved())
    write_json(partial / "manifest.json", manifest)
    write_json(partial / "metrics.json", metrics)
    for number, (seed, stages) in enumerate(plan.seeds.items()):
        name = "model.safetensors" if number == 0 else f"model_seed_{seed}.safetensors"
        shutil.copyfile(cache.folder(stages.training) / "model.safetensors", partial / name)
    instances(evidence).write_parquet(partial / "instances.parquet")
    for result in results.values():
        for name, table in result.tables.items():
            _write_table(partial / name, table)
        for name, chart in result.charts.items():
            _write_chart(partial / "graphs" / name, chart)
    claims = beside({name: t for result in results.values() for name, t in result.tables.items()})
    if claims:
        _write_table(partial / "tables" / "published", frame(claims))
    sections = [Section(plan.methods[name], result) for name, result in results.items()]
    examples = choose_examples(evidence)
    page = render_page(plan.config.resolved(), metrics, sections, examples, manifest, claims)
    write_text(partial / "report.html", page)
    partial.rename(final)
    return final


def instances(evidence: "Evidence") -> "pl.DataFrame":
    """One row for each text and seed: its tokens and every score."""
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
                "tokens": [corpus.lexicon[word] for word in texts.words[start:end].tolist()],
            }
            if texts.truth is not None:
                row["truth"] = texts.truth[start:end].tolist()
            rows.append(row | {m: s[start:end].tolist() for m, s in seed.scores.items()})
    return pl.DataFrame(rows, infer_schema_length=None)


def _evidence(plan: Plan, cache: Cache) -> "Evidence":
    folders = {piece: cache.folder(stage) for piece, stage in plan.pieces().items()}
    corpus = Corpus.load(cache.folder(plan.corpus))
    return gather(plan.about(), corpus, plan.measures, folders)


def _metrics(plan: Plan, cache: Cache, corpus: Corpus) -> dict[str, Any]:
    metrics: dict[str, Any] = {"data": corpus.facts, "seeds": {}}
    if plan.vectors is not None:
        metrics["vectors"] = read_json(cache.folder(plan.vectors) / "coverage.json")
    for seed, stages in plan.seeds.items():
        history = read_json(cache.folder(stages.training) / "history.json")
        test = read_json(cache.folder(stages.predictions) / "metrics.json")
        metrics["seeds"][str(seed)] = {"test": test, "training": history}
    return metrics


def _write_table(path: Path, table: "pl.DataFrame") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    table.write_csv(path.with_name(path.name + ".csv"))
    if path.parent.name == "tables":
        write_text(path.with_name(path.name + ".tex"), to_latex(table))


def _write_chart(path: Path, chart: dict[str, Any]) -> None:
    import vl_convert

    path.parent.mkdir(parents=True, exist_ok=True)
    specification = json.dumps(chart)
    png: bytes = vl_convert.vegalite_to_png(specification, scale=2)
    pdf: bytes = vl_convert.vegalite_to_pdf(specification)
    path.with_name(path.name + ".png").write_bytes(png)
    path.with_name(path.name + ".svg").write_text(vl_convert.vegalite_to_svg(specification))
    path.with_name(path.name + ".pdf").write_bytes(pdf)


def _fresh(parent: Path) -> Path:
    """Name a folder by the time, and by a number where that is taken."""
    stamp = datetime.now().astimezone().strftime("%Y-%m-%dT%H-%M-%S")
    path, number = parent / stamp, 2
    while path.exists():
        path, number = parent / f"{stamp}-{number}", number + 1
    return path
