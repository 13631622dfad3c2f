"""How far models are from each other, against SciPy, brute force and the exact bound."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
import torch
from every_analysis import ABOUT, CPU, _corpus
from scipy.spatial.distance import jensenshannon
from toy_evidence import LENGTHS
from toys import make_model

from attex.analyses.analysis import ANALYSED, ANALYSES, Evidence, SeedEvidence, Subject
from attex.analyses.departure import DepartureAnalysis
from attex.analyses.quantity import OVERALL
from attex.counterfactual import permute
from attex.counterfactual.other_weights import under_shuffled_weights
from attex.data.batch import Batcher
from attex.models.classifier import AttentionModel


def examined(
    model: AttentionModel, others: dict[str, list[AttentionModel]], **options: Any
) -> dict[str, float]:
    """Return the quantities of a model about all texts."""
    analysis: DepartureAnalysis = ANALYSES.bind(ANALYSES.spec({"type": "departure", **options}))
    corpus = _corpus(2)
    loaders = {role: [lambda one=one: one for one in models] for role, models in others.items()}
    subject = Subject(corpus, CPU, (), {}, {}, lambda: model, load_others=loaders)
    findings = analysis.examine(subject)
    with torch.no_grad():
        logits = model(Batcher(corpus, ANALYSED).batch(range(len(LENGTHS)))).logits
    predicted = (logits[:, 0] > 0).long().numpy()
    evidence = Evidence(ABOUT, corpus, (), (SeedEvidence(0, logits, predicted, {}, findings),))
    return {q.name: q.value for q in analysis.quantities(evidence) if q.class_ == OVERALL}


def traces(*models: AttentionModel) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the probability [N] and the attention [N,T] of each model on all texts."""
    batch = Batcher(_corpus(2), ANALYSED).batch(range(len(LENGTHS)))
    found = []
    with torch.no_grad():
        for model in models:
            trace = model(batch)
            weights = model.weigh(trace.energies.double(), batch).numpy()
            found.append((trace.logits[:, 0].double().sigmoid().numpy(), weights))
    return found


def frozen(base: AttentionModel, seed: int) -> AttentionModel:
    """Return a model with all of the base but its attention."""
    other = make_model(seed=0)
    other.load_state_dict(base.state_dict())
    generator = torch.Generator().manual_seed(seed)
    for parameter in other.attention.parameters():
        torch.nn.init.normal_(parameter, std=3.0, generator=generator)
    return other


def test_distances_are_scipys_and_several_models_are_averaged() -> None:
    model, *others = (make_model(seed=seed) for seed in (0, 1, 2))
    found = examined(model, {"beside": others})
    (p, alpha), *of_others = traces(model, *others)
    jsd = np.stack([jensenshannon(alpha, a, axis=1) ** 2 for _, a in of_others])
    tvd = np.stack([np.abs(p - q) for q, _ in of_others])
    assert found["jsd(beside)"] == pytest.approx(jsd.mean(), abs=1e-7)
    assert found["tvd(beside)"] == pytest.approx(tvd.mean(), abs=1e-7)
    same = np.stack([(p > 0.5) == (q > 0.5) for q, _ in of_others])
    assert found["same_decision(beside)"] == pytest.approx(same.mean())
    highest = alpha.max(axis=1)
    for low, high, name in ((0.25, 0.5, "0.25-0.5"), (0.5, 0.75, "0.5-0.75"), (0.75, 1.1, "0.75-1")):
        inside = np.median(jsd, axis=0)[(highest >= low) & (highest < high)]
        assert found[f"jsd(beside)[{name}] n"] == len(inside)
        expected = np.percentile(inside, (25, 50, 75)) if len(inside) else [np.nan] * 3
        for ending, value in zip(("q25", "median", "q75"), expected, strict=True):
            assert found[f"jsd(beside)[{name}] {ending}"] == pytest.approx(value, abs=1e-7, nan_ok=True)


def test_even_weights_are_those_of_a_model_with_a_uniform_projection() -> None:
    model = make_model(seed=3)
    even = make_model(seed=3, projection="uniform")
    even.load_state_dict(model.state_dict())
    found, beside = examined(model, {}), examined(model, {"beside": [even]})
    assert found["tvd(uniform)"] == pytest.approx(beside["tvd(beside)"], abs=1e-6)
    assert found["jsd(uniform)"] == pytest.approx(beside["jsd(beside)"], abs=1e-6)
    ((p, _),) = traces(even)
    labels = _corpus(2).splits[ANALYSED].labels.numpy()
    assert found["accuracy(uniform)"] == np.mean((p > 0.5) == labels)


def test_shuffled_weights_move_the_output_as_permute_says_and_tend_to_all_orders() -> None:
    model, batch = make_model(seed=4), Batcher(_corpus(2), ANALYSED).batch([3])
    with torch.no_grad():
        trace = model(batch)
        readout = model.readout(trace.hidden, batch)
        weights = trace.attention.double()
    found = under_shuffled_weights(readout, weights, batch.scorable, draws=600, ids=batch.ids)
    usual = permute(readout, weights, batch.scorable, draws=600, ids=batch.ids)
    torch.testing.assert_close(found.tvd, usual)
    own = weights[batch.scorable].numpy()
    every = [jensenshannon(own, np.array(order)) ** 2 for order in permutations(own)]
    assert float(found.jsd.mean()) == pytest.approx(np.mean(every), abs=0.02)


def test_a_frozen_model_is_held_against_its_exact_bound_and_any_other_is_not() -> None:
    base = make_model(seed=5)
    curve = examined(base, {}, bounds=(0.0, 0.01, 0.1, 0.3, 1.0))
    limits = [curve[f"jsd_bound({moved})"] for moved in ("0", "0.01", "0.1", "0.3", "1")]
    assert limits == sorted(limits)
    for seed in range(4):
        found = examined(frozen(base, seed), {"base": [base]})
        assert found["beyond_bound(base)"] == 0
        assert 0 < found["jsd(base)"] <= found["jsd_bound(base)"]
        moved = found["tvd(base)"]
        (of_mean,) = (
            value
            for name, value in examined(base, {}, bounds=(moved + 1e-6,)).items()
            if name.startswith("jsd_bound")
        )
        assert found["jsd(base)"] <= found["jsd_bound(base)"] <= of_mean + 1e-9
    assert "jsd_bound(base)" not in examined(make_model(seed=6), {"base": [base]})


def test_a_model_is_no_distance_from_itself() -> None:
    model = make_model(seed=7)
    found = examined(model, {"base": [model]})
    assert found["tvd(base)"] == found["jsd(base)"] == 0
    assert found["same_decision(base)"] == 1


def test_a_role_without_a_model_is_undefined_and_counted() -> None:
    analysis: DepartureAnalysis = ANALYSES.bind(ANALYSES.spec("departure"))
    model, corpus = make_model(seed=8), _corpus(2)
    subject = Subject(corpus, CPU, (), {}, {}, lambda: model, load_others={"beside": []})
    alone = analysis.examine(subject)
    with_other = analysis.examine(replace(subject, load_others={"beside": [lambda: make_model(seed=9)]}))
    logits = torch.zeros(len(LENGTHS), 1)
    predicted = np.zeros(len(LENGTHS), dtype=int)
    seeds = tuple(SeedEvidence(n, logits, predicted, {}, f) for n, f in enumerate((alone, with_other)))
    table = analysis(Evidence(ABOUT, corpus, (), seeds)).tables["tables/departure"]
    rows = {row["seed"]: row for row in table.to_dicts() if row["from"] == "beside"}
    assert rows["0"]["undefined"] == len(LENGTHS)
    assert rows["1"]["undefined"] == 0
    assert rows["all"]["jsd"] == pytest.approx(rows["1"]["jsd"])
