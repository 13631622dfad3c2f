"""`python -m benchmarks.shared_gpu`: a training step of a BiLSTM, alone on a GPU and beside 13 others.

Forward and backward pass of the encoder over 32 texts of 200 tokens, recorded: by cuDNN in float32, and
by the kernels that are used where many share a GPU, in exact steps and in rough ones (TF32).
"""

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from functools import partial

import torch

from attex.foundations.devices import choose_device, training_steps
from attex.models.encoders.lstm import LSTM
from attex.models.recurrence import Bidirectional
from attex.runner.engines.mps import shared_gpu
from benchmarks.timing import Result

TEXTS, TOKENS, EMBEDDED = 32, 200, 300
WIDTHS = (64, 128, 256)
MEASURED_SECONDS, START_SECONDS = 1.5, 4.0
WAYS = ("cuDNN, float32", "kernels, exact", "kernels, rough")
PROMISED = {"kernels, exact": 1.1, "kernels, rough": 1.5}
"""How many times as fast as cuDNN, where fourteen processes share a GPU."""


def step(width: int, way: str) -> torch.cuda.CUDAGraph:
    """Record one pass there and back."""
    # Triton, which it imports, comes with torch where torch has a GPU.
    from attex.models import lstm_kernels

    choose_device("cuda")
    torch.manual_seed(0)
    device = torch.device("cuda", torch.cuda.current_device())
    encoder = LSTM(EMBEDDED, hidden=width).to(device)
    embedded = torch.randn(TEXTS, TOKENS, EMBEDDED, device=device, requires_grad=True)
    lengths = torch.randint(TOKENS // 2, TOKENS + 1, (TEXTS,), device=device)
    mask = torch.arange(TOKENS, device=device) < lengths[:, None]
    wanted = torch.randn(TEXTS, TOKENS, 2 * width, device=device)
    into = [embedded, *encoder.parameters()]

    def work() -> None:
        with training_steps(exact=way != WAYS[2]):
            if way == WAYS[0]:
                hidden = Bidirectional.forward(encoder, embedded, mask)
            else:
                hidden = lstm_kernels.both_ways(embedded, mask, encoder.ahead, encoder.back)
            torch.autograd.grad((hidden * wanted).sum(), into)

    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        work()
    return graph


def seconds_of(asked: tuple[int, str, float]) -> float:
    """Replay a step until the time is over, all processes at once; return the mean seconds of one."""
    width, way, start = asked
    graph = step(width, way)
    late = time.time() - start
    if late > 0:
        print(f"a process was {late:.1f} s late", file=sys.stderr)
    time.sleep(max(0.0, -late))
    began, done = time.monotonic(), 0
    while time.monotonic() - began < MEASURED_SECONDS:
        for _ in range(5):
            graph.replay()
        torch.cuda.synchronize()
        done += 5
    return (time.monotonic() - began) / done


def ready(_: int) -> None:
    """Let a process read its libraries and meet the GPU."""
    torch.zeros(1, device="cuda")
    time.sleep(2 * START_SECONDS)


def measured(processes: int) -> Iterator[tuple[int, str, float]]:
    """Yield for every width and way the mean seconds of a step, over all processes."""
    with shared_gpu(torch.device("cuda"), processes) as variables:
        os.environ.update(variables)
        with multiprocessing.get_context("spawn").Pool(processes) as pool:
            pool.map(ready, range(processes), chunksize=1)
            for width in WIDTHS:
                for way in WAYS:
                    asked = (width, way, time.time() + START_SECONDS)
                    took = pool.map(seconds_of, [asked] * processes, chunksize=1)
                    yield width, way, sum(took) / len(took)
        for name in variables:
            del os.environ[name]


def results(processes: int) -> Iterator[Result]:
    """Hold both kinds of kernels against cuDNN's."""
    alone = processes == 1
    name = partial(
        "{way}, {width} wide, {beside}".format, beside="alone" if alone else f"{processes} side by side"
    )
    cudnn = 0.0
    for width, way, took in measured(processes):
        if way == WAYS[0]:
            cudnn = took
            continue
        least = 0.0 if alone else PROMISED[way]
        promise = "–" if alone else f"≥ {least}× cuDNN"
        yield Result(name(way=way, width=width), took, cudnn, promise, cudnn / took >= least)


def main() -> int:
    """Print the table; 1 if a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=14)
    asked = parser.parse_args()
    if not torch.cuda.is_available():
        print("this needs a GPU", file=sys.stderr)
        return 1
    kept = True
    for processes in (1, asked.jobs):
        for result in results(processes):
            print(result.line(), flush=True)
            kept &= result.kept
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
