"""An experiment that has been found, for tests of what the results make of it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch


class Finding:
    """These findings of every seed and text [S,N], by analysis and name."""

    def __init__(self, columns: Mapping[str, Mapping[str, np.ndarray]]) -> None:
        self._columns = columns

    def findings(self, analysis: str) -> dict[int, dict[str, Any]]:
        columns = self._columns[analysis]
        seeds = range(len(next(iter(columns.values()))))
        return {seed: {n: torch.from_numpy(rows[seed]) for n, rows in columns.items()} for seed in seeds}
