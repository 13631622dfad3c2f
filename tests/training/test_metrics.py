"""Metrics, loss and weights against scikit-learn and closed forms."""

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from attex.training.loss import class_weights, classification_loss
from attex.training.metrics import classification_metrics, roc_auc


@pytest.mark.parametrize("seed", range(5))
def test_binary_metrics_are_scikit_learns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    logits = torch.tensor(np.round(rng.normal(size=(80, 1)), 1))
    labels = torch.tensor(rng.integers(0, 2, 80))
    predicted = (logits[:, 0] > 0).long()
    found = classification_metrics(logits, labels)
    assert found["accuracy"] == pytest.approx(accuracy_score(labels, predicted))
    assert found["f1"] == pytest.approx(f1_score(labels, predicted, average="macro"))
    assert found["roc_auc"] == pytest.approx(roc_auc_score(labels, logits[:, 0]))


@pytest.mark.parametrize("seed", range(3))
def test_metrics_of_several_classes_are_scikit_learns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    logits, labels = torch.tensor(rng.normal(size=(90, 4))), torch.tensor(rng.integers(0, 4, 90))
    found = classification_metrics(logits, labels)
    assert found["accuracy"] == pytest.approx(accuracy_score(labels, logits.argmax(1)))
    assert found["f1"] == pytest.approx(f1_score(labels, logits.argmax(1), average="macro"))
    expected = roc_auc_score(labels, logits.softmax(1), multi_class="ovr", average="macro")
    assert found["roc_auc"] == pytest.approx(expected)


def test_classes_that_no_text_has_or_was_given_do_not_count_in_f1() -> None:
    rng = np.random.default_rng(0)
    logits, labels = torch.tensor(rng.normal(size=(60, 9))), torch.tensor(rng.integers(2, 5, 60))
    logits[:, 6:] = -torch.inf
    found = classification_metrics(logits, labels)
    assert found["f1"] == pytest.approx(f1_score(labels, logits.argmax(1), average="macro"))
    assert np.isnan(found["roc_auc"])


def test_roc_auc_of_one_class_is_undefined() -> None:
    assert np.isnan(roc_auc(np.array([0.1, 0.2]), np.array([True, True])))


def test_roc_auc_of_a_score_that_is_no_number_is_undefined() -> None:
    assert np.isnan(roc_auc(np.array([0.1, np.nan, 0.3]), np.array([True, False, False])))


def test_the_positive_class_is_weighted_by_negatives_over_positives() -> None:
    labels = torch.tensor([0, 0, 0, 1])
    weights = class_weights(labels, 2)
    logits = torch.randn(4, 1)
    expected = torch.nn.functional.binary_cross_entropy_with_logits(
        logits[:, 0], labels.float(), pos_weight=torch.tensor(3.0), reduction="none"
    )
    assert torch.allclose(classification_loss(logits, labels, weights), expected)


def test_each_of_several_classes_weighs_the_same_in_sum() -> None:
    labels = torch.tensor([0, 0, 0, 1, 2, 2])
    weights = class_weights(labels, 3)
    sums = torch.stack([weights[labels[labels == c]].sum() for c in range(3)])
    assert torch.allclose(sums, torch.full((3,), 2.0))
    logits = torch.randn(6, 3)
    expected = torch.nn.functional.cross_entropy(logits, labels, weight=weights, reduction="none")
    assert torch.allclose(classification_loss(logits, labels, weights), expected)
