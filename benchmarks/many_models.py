"""`python -m benchmarks.many_models`: 432 BiLSTMs of SST, trained and scored, in one command.

They differ in width, learning rate, decay, batch size, epochs and seed; each is scored by attention,
gradient and leave-one-out. Needs a GPU to be worth while, and SST in `ATTEX_DATA`.
"""

import argparse
import itertools
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from attex.runner.run_files import run_files

PROMISED_SECONDS = 175.0
WIDTHS, RATES, DECAYS = (64, 128, 256), (5e-4, 1e-3, 2e-3), (1e-5, 1e-4)
BATCH_SIZES, EPOCHS, SEEDS = (32, 64), (4, 8), 6


def experiments() -> list[dict[str, Any]]:
    """One experiment for each choice, with all of its seeds."""
    choices = itertools.product(WIDTHS, RATES, DECAYS, BATCH_SIZES, EPOCHS)
    return [
        {
            "name": f"width_{width}.rate_{rate:g}.decay_{decay:g}.batch_{batch}.epochs_{epochs}",
            "data": "sst",
            "vectors": "vectors/word2vec.300d.vec.gz",
            "model": {"encoder": {"type": "lstm", "hidden": width}},
            "trainer": {
                "epochs": epochs,
                "batch_size": batch,
                "learning_rate": rate,
                "weight_decay": decay,
            },
            "seeds": list(range(SEEDS)),
            "importance": ["attention", "gradient", "leave_one_out"],
            "analyses": [],
        }
        for width, rate, decay, batch, epochs in choices
    ]


def main() -> int:
    """Run all; 1 if it takes longer than promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=14)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--output-dir", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        output = asked.output_dir or Path(scratch) / "outputs"
        file = Path(scratch) / "many.json"
        file.write_text(json.dumps(experiments()))
        started = time.monotonic()
        well = run_files(
            [file], output_dir=output, device=asked.device, until="importance", jobs=asked.jobs
        )
        took = time.monotonic() - started
    models = len(experiments()) * SEEDS
    print(f"{models} models in {took:.0f} s with {asked.jobs} jobs; promised: {PROMISED_SECONDS:.0f} s")
    return 0 if well and took < PROMISED_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
