"""What trainers make small: its gradient is that of finite differences, and padding changes nothing."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from two_models import CPU, model_of, planted, trainer_of

from attex.data.batch import Batch, Batcher
from attex.data.corpus import Corpus
from attex.models.architecture import MODELS
from attex.models.classifier import AttentionModel
from attex.training.loop import Objective

DENSE, SPARSE = "softmax", "sparsemax"
OBJECTIVES: dict[str, tuple[str, dict[str, Any]]] = {
    "supervised": (SPARSE, {}),
    "log-odds": (SPARSE, {"type": "supervised", "log_odds_weight": 2.0}),
    "jsd": (DENSE, {"type": "adversarial", "base": {}, "weight": 0.7}),
    "jsd of sparse": (SPARSE, {"type": "adversarial", "base": {}, "weight": 0.7}),
    "kl": (DENSE, {"type": "adversarial", "base": {}, "weight": 0.7, "divergence": "kl"}),
    "frozen": (DENSE, {"type": "adversarial", "base": {}, "weight": 0.7, "frozen": True}),
    "weighed": (DENSE, {"type": "adversarial", "base": {}, "class_weights": True}),
    "guided": (SPARSE, {"type": "guided", "guide": {}}),
    "guided by words": (DENSE, {"type": "guided", "guide": {}, "weights": "word"}),
    "cross-fit": (DENSE, {"type": "guided", "guide": {}, "cross_fit": True}),
    "deceptive": (DENSE, {"type": "deceptive", "weight": 0.7}),
    "mean of heads": (DENSE, {"type": "deceptive", "weight": 0.7, "aggregate": "mean"}),
    "worst head": (DENSE, {"type": "deceptive", "weight": 0.7, "aggregate": "worst"}),
}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Planted texts whose keyword is to be hidden; one is nothing but impermissible."""
    whole = planted(task="keyword", hide_truth=True)
    train = whole.splits["train"]
    marks = train.impermissible
    assert marks is not None
    marks = marks.clone()
    marks[train.starts[2] : train.starts[3]] = True
    return replace(whole, splits=whole.splits | {"train": replace(train, impermissible=marks)})


def prepared(name: str, corpus: Corpus) -> tuple[AttentionModel, Objective]:
    """Make a small model in float64, wrapped as for training, and what is made small."""
    projection, options = OBJECTIVES[name]
    spec = MODELS.spec(
        {
            "embedding_width": 4,
            "encoder": {"type": "transformer", "hidden": 4, "layers": 1, "heads": 2},
            "attention": {"type": "tanh", "projection": projection},
        }
    )
    trainer = trainer_of(options.get("type", "supervised"), **options)
    models = {source: model_of(corpus, 5 + n, spec) for n, source in enumerate(trainer.sources())}
    sources = {source: model.double() for source, model in models.items()}
    model = trainer.wrap(model_of(corpus, 1, spec).double(), sources)
    return model, trainer.objective(model, corpus, CPU, sources)


def loss_of(model: AttentionModel, objective: Objective, batch: Batch) -> torch.Tensor:
    trace = model(batch)
    return objective.each(trace, batch).sum() + sum(term(trace, batch) for term in objective.terms)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_its_gradient_is_that_of_finite_differences(name: str, corpus: Corpus) -> None:
    model, objective = prepared(name, corpus)
    batch = Batcher(corpus, "train").batch([0, 1, 2, 3, 4, 5])
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    gradients = torch.autograd.grad(loss_of(model, objective, batch), trained, allow_unused=True)
    assert any(gradient is not None for gradient in gradients)
    torch.manual_seed(0)
    for _ in range(3):
        directions = [torch.randn_like(parameter) for parameter in trained]
        slope = sum(
            float((gradient * along).sum())
            for gradient, along in zip(gradients, directions, strict=True)
            if gradient is not None
        )
        sides = []
        for step in (1e-6, -1e-6):
            with torch.no_grad():
                for parameter, along in zip(trained, directions, strict=True):
                    parameter += step * along
                sides.append(float(loss_of(model, objective, batch)))
                for parameter, along in zip(trained, directions, strict=True):
                    parameter -= step * along
        assert slope == pytest.approx((sides[0] - sides[1]) / 2e-6, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("name", [name for name in OBJECTIVES if name != "weighed"])
@torch.no_grad()
def test_neither_padding_nor_company_changes_it(name: str, corpus: Corpus) -> None:
    model, objective = prepared(name, corpus)
    texts = Batcher(corpus, "train")
    chosen = [4, 0, 2, 31]
    together = texts.batch(chosen)
    several = objective.each(model(together), together)
    for row, text in enumerate(chosen):
        for wider in (0, 7):
            (alone,) = texts.batches([np.array([text])], lambda n, w=wider: n + w)
            assert torch.allclose(objective.each(model(alone), alone)[0], several[row], atol=1e-9)
            for shown in objective.shown.values():
                expected = shown(model(together), together)[row]
                found = shown(model(alone), alone)[0]
                assert torch.allclose(found, expected, atol=1e-9, equal_nan=True)
