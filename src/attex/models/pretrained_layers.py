"""The layers of a pretrained model taken apart, whatever its kind: by what its attention is given."""

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from torch import Tensor, nn

from attex.models.layers import LayerParts, StackedLayer

Edit = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""(weights [B,H,T,T], values [B,H,T,e]) of a layer → what stands in their place."""

Given = Callable[[Tensor], AbstractContextManager[Any]]
"""Gives a context in which a single layer runs with what its heads have mixed, [R,T,H,e]."""


class PretrainedLayer(StackedLayer):
    """A layer of a pretrained model, run on single positions whose mix is given.

    `beside` are the arguments that it takes beside states and mask; `given` runs it on a mix. `unread`
    are the maps to queries, keys and values, which nothing reads then: they are left out.
    """

    def __init__(
        self, module: nn.Module, beside: Mapping[str, Any], given: Given, unread: Sequence[nn.Linear]
    ) -> None:
        super().__init__()
        self.module = module
        self._beside, self._given = beside, given
        # In a tuple they are not listed as modules once more.
        self._unread = tuple(unread)

    def finish(self, mixed: Tensor, inputs: Tensor) -> Tensor:
        """Let each position be a text of its own."""
        heads, width = mixed.shape[-2:]
        with self._given(mixed.reshape(-1, 1, heads, width)), _replaced(self._unread, _nothing):
            made = self.module(inputs.reshape(-1, 1, inputs.shape[-1]), **self._beside)
        states: Tensor = made[0] if isinstance(made, tuple) else made
        return states.reshape(inputs.shape)


@dataclass
class _Seen:
    """What is seen of a layer while a model runs."""

    module: nn.Module
    inputs: Tensor
    beside: dict[str, Any]
    weights: Tensor | None = None
    values: Tensor | None = None
    unread: list[nn.Linear] = field(default_factory=list)
    output: nn.Linear | None = None


@dataclass
class Watch:
    """Looks on while a model runs: `edit` sees its attention, and hooks all else."""

    seen: list[_Seen] = field(default_factory=list)

    def edit(self, weights: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Note what the attention of the layer at work mixes, and how; change nothing."""
        self.seen[-1].weights, self.seen[-1].values = weights, values
        return weights, values

    @contextmanager
    def on(self, base: nn.Module, layers: Collection[nn.Module]) -> Iterator[None]:
        """Look on in here while a model with these layers runs."""
        attentions = [module for module in base.modules() if hasattr(module, "is_causal")]
        inside = {part for attention in attentions for part in attention.modules()}
        with ExitStack() as hooks:
            for module in layers:
                hooks.callback(module.register_forward_pre_hook(self._enters, with_kwargs=True).remove)
            for module in base.modules():
                if isinstance(module, nn.Linear):
                    hooks.callback(module.register_forward_pre_hook(self._maps).remove)
                    if module in inside:
                        hooks.callback(module.register_forward_pre_hook(self._asks).remove)
            yield

    def parts(self, given: Given) -> Iterator[LayerParts]:
        """Yield what was seen, layer by layer."""
        for one in self.seen:
            assert one.weights is not None
            assert one.values is not None
            assert one.output is not None
            layer = PretrainedLayer(one.module, one.beside, given, one.unread)
            values = one.values.transpose(1, 2)
            yield LayerParts(one.weights, one.inputs, values, one.output.weight, layer)

    def _enters(self, module: nn.Module, args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        states = args[0] if args else named["hidden_states"]
        turned = named.get("position_embeddings")
        # Positions turn queries and keys alone: any will do where the weights are given.
        first = {} if turned is None else {"position_embeddings": tuple(t[..., :1, :] for t in turned)}
        self.seen.append(_Seen(module, states, first))

    def _maps(self, module: nn.Linear, args: tuple[Any, ...]) -> None:
        """What the attention has mixed goes into the output projection first."""
        if self.seen and self.seen[-1].values is not None and self.seen[-1].output is None:
            self.seen[-1].output = module

    def _asks(self, module: nn.Linear, args: tuple[Any, ...]) -> None:
        """What an attention maps before it mixes are queries, keys and values."""
        if self.seen[-1].values is None:
            self.seen[-1].unread.append(module)


@contextmanager
def running_above(layers: Collection[nn.Module], layer: int, states: Tensor) -> Iterator[None]:
    """Let the layers of a model up to one, counted from 0, only hand on given states in here."""
    # By calls and not by modules: a model may run one module as all of its layers.
    calls = itertools.count()

    def from_then_on(module: nn.Module) -> Callable[..., Tensor]:
        run = module.forward
        return lambda *args, **named: states if next(calls) <= layer else run(*args, **named)

    with _replaced(layers, from_then_on):
        yield


@contextmanager
def _replaced(
    modules: Collection[nn.Module], other: Callable[[nn.Module], Callable[..., Tensor]]
) -> Iterator[None]:
    """Let modules do other things in here."""
    for module in modules:
        # On the object, where it hides the method of its class.
        vars(module)["forward"] = other(module)
    try:
        yield
    finally:
        for module in modules:
            del vars(module)["forward"]


def _nothing(module: nn.Module) -> Callable[[Tensor], Tensor]:
    """Give zeros in the form of what a linear map makes."""
    width = cast(nn.Linear, module).out_features
    return lambda states: states.new_zeros(()).expand(*states.shape[:-1], width)


def layers_of(base: nn.Module) -> set[nn.Module]:
    """Find the layers: of all modules in lists, the innermost that an attention is part of."""
    found: set[nn.Module] = set()
    for name, module in base.named_modules():
        if hasattr(module, "is_causal"):
            steps = name.split(".")
            places = [".".join(steps[: n + 1]) for n, step in enumerate(steps) if step.isdigit()]
            found.add(base.get_submodule(places[-1]))
    return found
