"""The most that can flow through layers, held against another library and paper."""

import numpy as np
import pytest

from attex.importance.flow import maximum_flows


def library_flow(layers: list[np.ndarray], reading: np.ndarray, word: np.ndarray) -> float:
    """Let networkx find the maximum, in floating point, on the graph as the paper draws it."""
    nx = pytest.importorskip("networkx", reason="needs networkx, which finds flows as well")
    graph, length = nx.DiGraph(), len(reading)
    for i, share in enumerate(reading):
        graph.add_edge("output", (len(layers), i), capacity=share)
    for number, weights in enumerate(layers):
        for i in range(length):
            for j in range(length):
                capacity = weights[i, j] / 2 + (i == j) / 2
                graph.add_edge((number + 1, i), (number, j), capacity=capacity)
    for t in word:
        # An edge without a capacity takes all.
        graph.add_edge((0, t), "word")
    return float(nx.maximum_flow_value(graph, "output", "word"))


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_flow_of_sparse_attention_is_the_librarys_too(layers: int) -> None:
    draws = np.random.default_rng(layers)
    stack = draws.dirichlet(np.full(7, 0.3), size=(layers, 7))
    stack[stack < 0.05] = 0.0
    stack /= stack.sum(axis=-1, keepdims=True)
    reading = draws.dirichlet(np.full(7, 0.5))
    words = np.array([[1, 0], [0, 1], [0, 1], [0, 0], [0, 1], [0, 0], [0, 0]], dtype=bool)
    expected = [library_flow([*stack], reading, np.flatnonzero(word)) for word in words.T]
    np.testing.assert_allclose(maximum_flows(stack, reading, words), expected, atol=1e-8)


def test_flow_by_hand() -> None:
    """Two layers over two positions; the second pays all to itself in both, the first half and half."""
    layer = np.array([[0.5, 0.5], [0.0, 1.0]])
    stack, begin = np.stack([layer, layer]), np.array([1.0, 0.0])
    # Â = [[¾, ¼], [0, 1]]: to the first word ¾ twice over; to the second ¼ of either layer.
    flows = maximum_flows(stack, begin, np.eye(2, dtype=bool))
    np.testing.assert_allclose(flows, [0.75, 0.5], atol=1e-9)
    np.testing.assert_allclose(maximum_flows(stack, begin, np.ones((2, 1), dtype=bool)), [1.0])
