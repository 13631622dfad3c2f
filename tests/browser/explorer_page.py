"""What the tests of the explorer do with its page, and what Python says of a text."""

from typing import Any

import polars as pl
import torch

import attex
from attex.counterfactual import adversarial_exact
from attex.data.batch import Batch


def control(page: Any, name: str) -> Any:
    return page.locator(f'#explorer [data-x="{name}"]')


def names(page: Any) -> list[str]:
    return page.evaluate("attexExplorer.explorer.kept.map((i) => attexExplorer.explorer.texts.names[i])")


WATCH = """() => {
  const explorer = attexExplorer.explorer;
  window.underWay = new Set();
  for (const name of ["_refresh", "_list", "_show", "_choose"]) {
    const act = explorer[name].bind(explorer);
    explorer[name] = (...given) => {
      const work = Promise.resolve(act(...given)).finally(() => underWay.delete(work));
      underWay.add(work);
      return work;
    };
  }
}"""
"""Counts what the explorer has begun and not ended, so that a slow machine is waited for."""


def watch(page: Any) -> None:
    """Wait until the explorer stands, and take notice of what it does from now on."""
    page.wait_for_selector("#explorer[data-ready]")
    page.evaluate(WATCH)


def settle(page: Any) -> None:
    """Wait for the explorer's timers (150 ms at most) and for all that they and the controls began.

    The page's own clock is waited for: a timer that is set later, for longer, rings later.
    """
    page.evaluate(
        """async () => {
          await new Promise((go) => setTimeout(go, 200));
          while (underWay.size) await Promise.allSettled([...underWay]);
        }"""
    )


def instances(run: attex.Run, seed: int = 0) -> pl.DataFrame:
    return run.instances.filter(pl.col("seed") == seed)


def readout(run: attex.Run, text: int, seed: int = 0) -> tuple[Any, torch.Tensor, torch.Tensor]:
    """The readout, attention and mask of one text, from the model and the words alone."""
    row = instances(run, seed).row(text, named=True)
    index = {word: number for number, word in enumerate(run.vocabulary["words"])}
    margin = int(run.vocabulary["markers"])
    words = [index.get(word, 1) for word in row["tokens"]]
    tokens = torch.tensor([[2, *words, 3] if margin else words])
    mask = torch.ones_like(tokens, dtype=torch.bool)
    scorable = mask.clone()
    if margin:
        scorable[:, [0, -1]] = False
    batch = Batch(tokens, mask, scorable, torch.zeros(1), torch.zeros(1))
    model = run.model(seed)
    with torch.no_grad():
        hidden = model.encode(model.embed(batch), batch)
        attention = model.attend(hidden, batch).double()
        whole = model.readout(hidden, batch)
    inside = slice(margin, tokens.shape[1] - margin)
    values = whole.values[:, inside].double()
    return type(whole)(values, whole.head, whole.linear), attention[:, inside], scorable[:, inside]


def adversary(run: attex.Run, text: int, epsilon: float) -> tuple[float, torch.Tensor]:
    read, attention, mask = readout(run, text)
    bias = read.head(torch.zeros(1, dtype=torch.float64)).item()
    jsd, other = adversarial_exact(read.values[..., 0], attention, mask, bias, epsilon)
    return jsd.item(), other


def choose(page: Any, text: int) -> None:
    page.evaluate("(i) => attexExplorer.explorer._choose(i)", text)
    page.wait_for_function("attexExplorer.explorer.pane.hands.weights !== null")


def outcome(page: Any) -> dict[str, float]:
    return page.evaluate("attexExplorer.explorer.pane.hands.outcome")


def hand(page: Any, choice: str) -> None:
    page.locator(f'#explorer-hands input[value="{choice}"]').check()
