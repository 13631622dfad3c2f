"""Words switched off: LIME, kernel SHAP and occlusion against loops, brute force and other libraries."""

import math
from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import pytest
import torch
from scipy.stats import kendalltau
from sklearn.linear_model import Ridge
from torch import Tensor
from toys import ASKED, captum, make_batch, make_model, with_query

from attex.agreement.convergence import rank_agreement_at_half
from attex.data.batch import Batch
from attex.foundations.divergences import distribution
from attex.importance import kernel_shap, lime, occlusion
from attex.importance.attribution import completeness
from attex.importance.coalitions import by_size, coins, shapley
from attex.importance.measure import MEASURES, share_of_zeros
from attex.importance.sampled import lime_slopes, shapley_values
from attex.models.classifier import AttentionModel
from attex.models.imposed import PermutedAttention
from attex.testing import model_by_hand

LENGTHS = [8, 1, 5, 2]
KINDS = [
    ("lstm", "tanh", "softmax", "linear", 2),
    ("average", "tanh", "softmax", "linear", 2),
    ("average", "sdp", "sparsemax", "linear", 3),
    ("transformer", "tanh", "softmax", "linear", 3),
    ("gru", "tanh", "softmax", "query", 4),
    ("average", "tanh", "softmax", "query", 4),
    ("lstm", "tanh", "softmax", "pair", 3),
]
Kind = tuple[str, str, str, str, int]


def model_and_texts(kind: Kind) -> tuple[AttentionModel, Batch]:
    """A model in double precision; no word is twice in a text, or it would share its score."""
    encoder, attention, projection, decoder, classes = kind
    query = None if decoder == "linear" else {"shared": decoder == "pair"}
    model = make_model(encoder, attention, projection, classes, decoder=decoder, query=query).double()
    batch = distinct(make_batch(LENGTHS))
    return model, batch if query is None else with_query(batch, ASKED[: len(LENGTHS)], classes)


def distinct(batch: Batch) -> Batch:
    """Give every scorable position of a text a word of its own."""
    place = torch.arange(batch.tokens.shape[1])
    return replace(batch, tokens=(4 + place).where(batch.scorable, batch.tokens))


def in_pieces(batch: Batch) -> Batch:
    """Cut texts into words of one, two, three, one, … pieces, whose numbers have holes."""
    lengths = torch.tensor([1, 2, 3]).repeat(batch.tokens.shape[1])
    word = torch.arange(len(lengths)).repeat_interleave(lengths)[: batch.tokens.shape[1]]
    shifted = (2 * word.roll(1)).expand_as(batch.tokens)
    return replace(batch, word=shifted.where(batch.scorable, -1))


class Explained:
    """One text of a batch with any of its words off, run by itself: an oracle without any batching."""

    def __init__(
        self, model: AttentionModel, batch: Batch, row: int, target: str = "probability"
    ) -> None:
        self.model, self.batch, self.target = model, batch.take(torch.tensor([row])), target
        scorable = self.batch.scorable[0]
        number = torch.arange(len(scorable)) if self.batch.word is None else self.batch.word[0]
        names = number[scorable].unique_consecutive().tolist()
        self.pieces = [((number == name) & scorable).nonzero()[:, 0].tolist() for name in names]
        self.first = [pieces[0] for pieces in self.pieces]
        logits = model(self.batch).logits
        self.one = logits.shape[1] == 1
        self.chosen = int(logits[0, 0] > 0) if self.one else int(logits[0].argmax())
        self.known: dict[tuple[bool, ...], float] = {}

    def __len__(self) -> int:
        return len(self.pieces)

    def __call__(self, on: Tensor | list[bool]) -> float:
        switches = tuple(map(bool, on))
        if switches not in self.known:
            self.known[switches] = self.run(switches)
        return self.known[switches]

    @torch.no_grad()
    def run(self, on: tuple[bool, ...]) -> float:
        embedded = self.model.embed(self.batch)
        off = self.model.embedding.weight[0]
        for switch, pieces in zip(on, self.pieces, strict=True):
            if not switch:
                embedded[0, pieces] = off
        logits = self.model.resume(embedded, self.batch).logits
        if self.target == "probability":
            return distribution(logits)[0, self.chosen].item()
        return (logits[0, 0] * (1 if self.chosen else -1) if self.one else logits[0, self.chosen]).item()

    def exact(self) -> list[float]:
        """Shapley's formula: |S|! (n − |S| − 1)! / n! of F(S with t) − F(S), over all S without t."""
        n, found = len(self), []
        for t in range(n):
            others = [i for i in range(n) if i != t]
            total = 0.0
            for subset in chain.from_iterable(combinations(others, k) for k in range(n)):
                share = math.factorial(len(subset)) * math.factorial(n - len(subset) - 1)
                with_it, without = ([i in (*subset, *more) for i in range(n)] for more in ([t], []))
                total += share / math.factorial(n) * (self(with_it) - self(without))
            found.append(total)
        return found


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("target", ["probability", "logit"])
def test_shapley_values_of_short_texts_are_those_of_all_coalitions(kind: Kind, target: str) -> None:
    model, batch = model_and_texts(kind)
    values = shapley_values(model, batch, target=target)
    scores = kernel_shap(model, batch, target=target)
    for row in range(len(batch)):
        explained = Explained(model, batch, row, target)
        expected = explained.exact()
        np.testing.assert_allclose(values[row, explained.first], expected, atol=1e-9)
        np.testing.assert_allclose(scores[row, explained.first], np.abs(expected), atol=1e-9)


@pytest.mark.parametrize("encoder", ["lstm", "average"])
def test_pieces_of_a_word_are_off_together(encoder: str) -> None:
    model = make_model(encoder).double()
    batch = in_pieces(distinct(make_batch([9, 4])))
    exact = shapley_values(model, batch)
    changes = occlusion(model, batch)
    slopes = lime_slopes(model, batch, samples=30)
    assert (changes.isfinite() == batch.scored).all()
    counts = batch.scored.sum(dim=1)
    on = by_size(batch.ids, torch.arange(counts.max()) < counts[:, None], 30, 0)
    for row in range(2):
        explained = Explained(model, batch, row)
        assert len(explained) == counts[row] < batch.scorable[row].sum()
        np.testing.assert_allclose(exact[row, explained.first], explained.exact(), atol=1e-9)
        np.testing.assert_allclose(changes[row, explained.first], occluded(explained), atol=1e-9)
        expected = ridge_of(explained, on[row, :, : counts[row]], 0.25, 1.0)
        np.testing.assert_allclose(slopes[row, explained.first], expected, atol=1e-9)


def occluded(explained: Explained) -> list[float]:
    n = len(explained)
    whole = explained([True] * n)
    return [abs(whole - explained([i != t for i in range(n)])) for t in range(n)]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("target", ["probability", "logit"])
def test_occlusion_is_a_loop_over_words(kind: Kind, target: str) -> None:
    model, batch = model_and_texts(kind)
    for asked in (model, PermutedAttention(model, seed=3)):
        scores = occlusion(asked, batch, target=target)
        for row in range(len(batch)):
            explained = Explained(asked, batch, row, target)
            np.testing.assert_allclose(scores[row, explained.first], occluded(explained), atol=1e-9)


def ridge_of(explained: Explained, on: Tensor, kernel_width: float, strength: float) -> np.ndarray:
    """Fit scikit-learn's ridge regression to copies one by one."""
    distance = 1 - on.double().mean(dim=1).sqrt()
    weights = torch.exp(-(distance**2) / (2 * kernel_width**2)).numpy()
    values = [explained(row) for row in on]
    coefficients: np.ndarray = Ridge(alpha=strength).fit(on.numpy(), values, sample_weight=weights).coef_
    return coefficients


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(
    ("masks", "kernel_width", "ridge"), [("sizes", 0.25, 1.0), ("coins", 1.0, 0.01)]
)
def test_lime_is_ridge_regression_on_its_copies(
    kind: Kind, masks: str, kernel_width: float, ridge: float
) -> None:
    model, batch = model_and_texts(kind)
    options = {"samples": 40, "masks": masks, "kernel_width": kernel_width, "ridge": ridge, "seed": 5}
    slopes, scores = (measure(model, batch, **options) for measure in (lime_slopes, lime))
    counts = batch.scorable.sum(dim=1)
    words = torch.arange(counts.max()) < counts[:, None]
    on = {"sizes": by_size, "coins": coins}[masks](batch.ids, words, 40, 5)
    for row, n in enumerate(counts.tolist()):
        explained = Explained(model, batch, row)
        expected = ridge_of(explained, on[row, :, :n], kernel_width, ridge)
        np.testing.assert_allclose(slopes[row, explained.first], expected, atol=1e-9)
        np.testing.assert_allclose(scores[row, explained.first], np.abs(expected), atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_captum_finds_the_same_with_the_same_copies() -> None:
    attr = captum()
    models = pytest.importorskip("captum._utils.models.linear_model")
    model, batch = make_model("lstm").double(), distinct(make_batch([6]))
    on = coins(batch.ids, torch.ones(1, 6, dtype=torch.bool), 80, 0)[0]
    explained = Explained(model, batch, 0)
    embedded = model.embed(batch).detach()
    # Captum has no place for what is never off: markers are a seventh word that is always on.
    place = torch.tensor([6, 0, 1, 2, 3, 4, 5, 6])[None, :, None].expand_as(embedded)

    def output(embedded: Tensor) -> Tensor:
        logits = model.resume(embedded, batch.take(torch.zeros(len(embedded), dtype=torch.long))).logits
        return distribution(logits)[:, explained.chosen]

    def nearness(original: Tensor, copy: Tensor, on: Tensor, **_: object) -> Tensor:
        return torch.exp(-((1 - (on[:, :6].sum() / 6).sqrt()) ** 2) / 2)

    def captum_lime(fit: object) -> Tensor:
        copies = iter(torch.cat([on, torch.ones(80, 1, dtype=torch.bool)], dim=1).long())
        by = attr.Lime(output, fit, nearness, lambda *_, **__: next(copies)[None])
        given = {"feature_mask": place, "n_samples": 80, "return_input_shape": False}
        found: Tensor = by.attribute(embedded, baselines=0.0, **given)[0, :6]
        return found

    ours = lime_slopes(model, batch, samples=80, masks="coins", kernel_width=1.0)
    np.testing.assert_allclose(captum_lime(models.SkLearnRidge()), ours[0, 1:7], atol=1e-6)
    by_lasso = captum_lime(models.SkLearnLasso(alpha=1.0))
    assert share_of_zeros(by_lasso[None]).item() == 1.0
    assert share_of_zeros(ours[:, 1:7]).item() == 0.0

    torch.manual_seed(0)
    by = attr.KernelShap(output)
    given = {"feature_mask": place, "n_samples": 2000, "perturbations_per_eval": 500}
    captum_shap = by.attribute(embedded, baselines=0.0, return_input_shape=False, **given)[0, :6]
    exact = shapley_values(model, batch)[0, 1:7]
    assert (captum_shap - exact).abs().max() < 0.1 * exact.abs().max()


def test_shapley_values_of_an_additive_model_are_its_parts() -> None:
    logits = torch.linspace(-1.0, 2.0, 60).tolist()
    model, batch = model_by_hand(energies=[0.0] * 60, logits=logits)
    # Attention is even, so that the logit is Σ_t s_t / n; padding has s = 0.
    values = shapley_values(model.double(), batch, samples=300, target="logit")
    np.testing.assert_allclose(values[0], np.array(logits) / 60, atol=1e-9)
    slopes = lime_slopes(model, batch, ridge=1e-9, target="logit")
    np.testing.assert_allclose(slopes[0], np.array(logits) / 60, atol=1e-6)


def test_sampled_values_share_the_whole_out_and_come_to_the_exact_ones() -> None:
    model, batch = make_model("lstm", spread=4.0).double(), distinct(make_batch([11, 11, 11]))
    exact = shapley_values(model, batch, samples=2**11 - 2)
    far = []
    for samples in (40, 200, 1000):
        errors = []
        for seed in range(5):
            values = shapley_values(model, batch, samples=samples, seed=seed)
            for row in range(3):
                explained = Explained(model, batch, row)
                whole = explained([True] * 11) - explained([False] * 11)
                assert values[row, explained.first].sum().item() == pytest.approx(whole, abs=1e-9)
            errors.append((values - exact)[batch.scorable].square().mean().sqrt().item())
        far.append(np.mean(errors))
    assert far[0] > 2 * far[1] > 4 * far[2]
    assert far[2] < 0.02 * exact.abs().max().item()


def test_what_is_shared_out_of_an_additive_model_is_the_sum_of_its_parts() -> None:
    logits = torch.linspace(-1.0, 2.0, 60).tolist()
    model, batch = model_by_hand(energies=[0.0] * 60, logits=logits)
    shared = MEASURES["kernel_shap"].facts["signed"](model.double(), batch, samples=300, target="logit")
    np.testing.assert_allclose(shared.values[0], np.array(logits) / 60, atol=1e-9)
    # Σ_t s_t / n is the mean of the two ends, and nothing is left where all is padding.
    assert shared.total.item() == pytest.approx(0.5, abs=1e-9)
    assert completeness(model, batch, "kernel_shap", samples=300, target="logit").item() < 1e-9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cut", [False, True])
def test_few_samples_share_the_whole_out_too(kind: Kind, cut: bool) -> None:
    model, batch = model_and_texts(kind)
    if cut:
        batch = in_pieces(batch)
    shared = MEASURES["kernel_shap"].facts["signed"](model, batch, samples=6)
    for row in range(len(batch)):
        explained = Explained(model, batch, row)
        words = int(batch.scored[row].sum())
        whole = explained([True] * words) - explained([False] * words)
        assert shared.total[row].item() == pytest.approx(whole, abs=1e-9)
    assert completeness(model, batch, "kernel_shap", samples=6).max() < 1e-9
    scores = kernel_shap(model, batch, samples=6)
    torch.testing.assert_close(shared.scores(model, batch), scores, equal_nan=True)


def test_of_more_words_than_samples_the_nearest_to_equal_shares_is_taken() -> None:
    model, batch = make_model("average").double(), distinct(make_batch([40]))
    values = shapley_values(model, batch, samples=20)[0, 1:41].numpy()
    on, weights = shapley(batch.ids, torch.ones(1, 40, dtype=torch.bool), 20, 0)
    explained = Explained(model, batch, 0)
    nothing, whole = explained([False] * 40), explained([True] * 40)
    x, w = on[0].double().numpy(), weights[0].sqrt().numpy()
    y = np.array([explained(row) for row in on[0]]) - nothing - x.sum(axis=1) * (whole - nothing) / 40
    least = np.linalg.lstsq(w[:, None] * (x - x.mean(axis=1, keepdims=True)), w * y, rcond=1e-6)[0]
    np.testing.assert_allclose(values, (whole - nothing) / 40 + least, atol=1e-8)
    assert values.sum() == pytest.approx(whole - nothing, abs=1e-9)


def test_agreement_at_half_is_kendalls_tau_with_half_the_samples() -> None:
    model, batch = make_model("lstm"), make_batch([12, 2, 9])
    for measure, name in ((lime, "lime"), (kernel_shap, "kernel_shap")):
        spec = {"type": name, "samples": 50, "seed": 2}
        found = rank_agreement_at_half(spec, model, batch)
        assert found is not None
        whole, half = (measure(model, batch, samples=samples, seed=2) for samples in (50, 25))
        for row, scorable in enumerate(batch.scorable):
            expected = kendalltau(whole[row][scorable], half[row][scorable]).statistic
            assert found[row].item() == pytest.approx(expected, nan_ok=True)
        known = rank_agreement_at_half(spec, model, batch, scores=whole)
        assert known is not None
        assert torch.equal(known.nan_to_num(), found.nan_to_num())
    assert rank_agreement_at_half("occlusion", model, batch) is None


@pytest.mark.parametrize("encoder", ["lstm", "average", "transformer"])
def test_a_small_budget_changes_nothing(encoder: str) -> None:
    model, batch = make_model(encoder), make_batch([12, 1, 9])
    for measure, few in ((lime, {"samples": 30}), (kernel_shap, {"samples": 30}), (occlusion, {})):
        whole, in_small = (measure(model, batch, budget=budget, **few) for budget in (None, 1))
        assert torch.allclose(whole, in_small, atol=1e-6, equal_nan=True)


def test_where_nothing_can_change_all_scores_are_zero() -> None:
    model = make_model(classes=4, decoder="query", query={})
    batch = with_query(make_batch([5, 3]), [2, 4], 4)
    only = torch.zeros(2, 4, dtype=torch.bool).scatter(1, batch.labels[:, None], True)
    for measure in (lime, kernel_shap, occlusion):
        scores = measure(model, replace(batch, allowed=only))
        assert share_of_zeros(scores).tolist() == [1.0, 1.0]


def test_words_that_the_model_treats_the_same_have_the_mean_of_their_values() -> None:
    model, batch = make_model("average").double(), distinct(make_batch([8]))
    repeated = replace(batch, tokens=batch.tokens.where(batch.tokens != 6, 9))
    twice = (repeated.tokens[0] == 9).nonzero()[:, 0]
    assert len(twice) == 2
    values = shapley_values(model, repeated, samples=30)
    explained = Explained(model, repeated, 0)
    whole = explained([True] * 8) - explained([False] * 8)
    assert values[0, twice[0]] == values[0, twice[1]]
    assert values[0][repeated.scorable[0]].sum().item() == pytest.approx(whole, abs=1e-9)
    order_counts = shapley_values(make_model("lstm").double(), repeated, samples=30)
    assert order_counts[0, twice[0]] != order_counts[0, twice[1]]


@pytest.mark.parametrize("projection", ["sparsemax", "entmax15"])
def test_words_that_sparse_attention_leaves_out_are_tied_at_zero(projection: str) -> None:
    model, batch = make_model("average", "tanh", projection), make_batch([200, 190, 30])
    scores = occlusion(model, batch)
    exact = occlusion(model.double(), batch)
    assert ((scores == 0) == (exact < 1e-12)).all()
    assert (scores == 0).sum() > 200


@pytest.mark.parametrize("samples", [60, 80, 84])
def test_values_share_the_whole_out_where_the_fit_is_all_but_singular(samples: int) -> None:
    model, batch = make_model("average").double(), distinct(make_batch([40]))
    explained = Explained(model, batch, 0)
    whole = explained([True] * 40) - explained([False] * 40)
    values = shapley_values(model, batch, samples=samples)[0, 1:41]
    assert values.sum().item() == pytest.approx(whole, abs=1e-12)
