"""A run's page of IMDB's size in headless Chromium: its files, and how fast it answers."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from attex.analyses.analysis import Evidence, SeedEvidence
from attex.analyses.performance import PerformanceAnalysis
from attex.data.corpus import Corpus
from attex.data.split import Split, stable_id
from attex.importance.measure import MEASURES
from attex.report.explorer import FOLDER, Explored, pack_run
from attex.report.run_page import render_run
from benchmarks.timing import Result

TEXTS, TOKENS, WORDS = 4346, 769_331, 12_500
MEASURES_SHOWN = ("attention", "gradient", "leave_one_out", "gradient_norm")
SEEDS = (0, 1, 2)
MEGABYTE = 1_000_000


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Pack texts of IMDB's number and lengths, with scores drawn alike, and open the page."""
    chromium = shutil.which("chromium")
    if chromium is None:
        return
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return
    with tempfile.TemporaryDirectory() as folder:
        yield _written(Path(folder))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            yield from _opened(browser, Path(folder))
            browser.close()


def _written(folder: Path) -> Result:
    evidence, explored = _run()
    started = time.perf_counter()
    index, scripts = pack_run(evidence, explored)
    performance = PerformanceAnalysis()
    page = render_run(
        {
            "name": "size",
            "data": {"type": "imdb"},
            "model": {"encoder": {"type": "lstm"}, "attention": {"type": "tanh"}},
        }
        | {"seeds": list(SEEDS)},
        {"data": evidence.corpus.facts},
        [(performance, performance(evidence))],
        index,
        {"attex": "0"},
        [],
        folder,
    )
    seconds = time.perf_counter() - started
    (folder / "report.html").write_text(page, encoding="utf-8")
    (folder / FOLDER).mkdir()
    for name, script in scripts.items():
        (folder / FOLDER / name).write_text(script, encoding="utf-8")
    large, others = len(page.encode()) / MEGABYTE, max(map(len, scripts.values())) / MEGABYTE
    kept = large <= 15 and others <= 12
    name = f"IMDB's page packed: {large:.1f} MB, and {others:.1f} MB for another seed"
    return Result(name, seconds, None, "≤ 15 MB, ≤ 12 MB", kept)


def _opened(browser: Any, folder: Path) -> Iterator[Result]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"file://{folder}/report.html")
    page.wait_for_selector("#explorer[data-ready]", timeout=60_000)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000
    yield Result("its first paint", paint, None, "< 1 s", paint < 1)
    for name, change in {
        "search for a word": "state.search = 'w1'",
        "filter by label and length": "state.search = ''; state.label = '1'; state.most = '200'",
        "sort by disagreement": "state.label = ''; state.most = ''; state.sort = 'disagreement'",
        "sort by how far the adversary gets": "state.sort = 'reach'",
    }.items():
        code = f"""async () => {{
            const explorer = attexExplorer.explorer; const state = explorer.state; const times = [];
            for (let i = 0; i < 5; i++) {{
                {change}; const start = performance.now();
                await explorer._refresh(); document.body.offsetHeight;
                times.push(performance.now() - start);
            }}
            return times.sort((a, b) => a - b)[2] / 1000; }}"""
        seconds = page.evaluate(code)
        yield Result(name, seconds, None, "< 100 ms", seconds < 0.1)
    for text, words in (("177", 177), ("longest", 100_000)):
        code = """(words) => {
            const { explorer } = attexExplorer; const { lengths } = explorer.texts;
            let near = 0;
            const away = (n) => Math.abs(n - words);
            lengths.forEach((n, i) => { if (away(n) < away(lengths[near])) near = i; });
            return explorer._choose(near).then(() => {
                const { hands } = explorer.pane; const times = [];
                for (let i = 0; i < 60; i++) {
                    const start = performance.now();
                    hands.weigh(i % 20, 0.2 + 0.01 * i); document.body.offsetHeight;
                    times.push(performance.now() - start);
                }
                return times.sort((a, b) => a - b)[30] / 1000; }); }"""
        seconds = page.evaluate(code, words)
        yield Result(
            f"a hand on the attention of a text of {text} words",
            seconds,
            None,
            "< 16 ms",
            seconds < 0.016,
        )


def _run() -> tuple[Evidence, dict[int, Explored]]:
    """Texts of IMDB's number and lengths, with words and scores drawn as skewed as they are."""
    draw = np.random.default_rng(0)
    lengths = np.maximum(10, draw.lognormal(4.9, 0.6, TEXTS)).astype(np.int64)
    lengths = np.maximum(5, lengths * TOKENS // lengths.sum())
    starts = torch.from_numpy(np.concatenate([[0], lengths.cumsum()]))
    total = int(lengths.sum())
    words = torch.from_numpy(np.minimum(draw.zipf(1.2, total), WORDS - 5).astype(np.int32) + 4)
    names = [f"test/{i}" for i in range(TEXTS)]
    ids = torch.tensor([stable_id(name) for name in names])
    labels = torch.from_numpy(draw.integers(0, 2, TEXTS))
    split = Split(words, starts, labels, ids, names, None)
    facts = {"kept": {"test": TEXTS}, "read": {"test": TEXTS}, "vocabulary": WORDS}
    facts |= {"also_in_train": {"dev": 0, "test": 0}, "left_out": {}}
    corpus = Corpus([f"w{i}" for i in range(WORDS)], WORDS - 500, ["neg", "pos"], {"test": split}, facts)
    measures = tuple(
        MEASURES.spec(name)
        for name in (*MEASURES_SHOWN, "gradient_norm[hidden]", "leave_one_out[hidden]")
    )
    seeds, explored = [], {}
    for seed in SEEDS:
        scores = {m.title: torch.from_numpy(draw.lognormal(0, 1.5, total)) for m in measures}
        logits = torch.from_numpy(draw.normal(0, 2, (TEXTS, 1))).float()
        predicted = (logits[:, 0] > 0).long().numpy()
        seeds.append(SeedEvidence(seed, logits, predicted, scores))
        explored[seed] = Explored(_explored(draw, lengths, total, len(measures)), "linear")
    return Evidence({}, corpus, measures, tuple(seeds)), explored


def _explored(
    draw: np.random.Generator, lengths: np.ndarray, total: int, measures: int
) -> dict[str, torch.Tensor]:
    energies = np.exp(draw.normal(0, 1.5, total))
    sums = np.add.reduceat(energies, np.concatenate([[0], lengths.cumsum()[:-1]]))
    chosen = np.flatnonzero(lengths <= 256)[:: TEXTS // 60][:50]
    squares = int((lengths[chosen] ** 2).sum())
    pairs = measures * (measures - 1) // 2
    return {
        "attention": torch.from_numpy(energies / np.repeat(sums, lengths)).float(),
        "values": torch.from_numpy(draw.normal(0, 3, (total, 1))).float(),
        "bias": torch.tensor([0.1]),
        "entropy": torch.from_numpy(draw.random(TEXTS)),
        "reach": torch.from_numpy(draw.random(TEXTS) * 0.69),
        "disagreement": torch.from_numpy(draw.random((pairs, TEXTS)) * 2 - 1),
        "influenced": torch.from_numpy(chosen),
        "influence": torch.from_numpy(draw.gamma(0.3, 20, squares).clip(0, 255)).to(torch.uint8),
        "influence_highs": torch.full((len(chosen),), 0.8),
    }
