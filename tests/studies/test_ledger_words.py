"""Numbers of models against models have the names that published ones have, and get verdicts."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import attex
from attex.claims.judging import from_runs, judge_all
from attex.claims.ledger import Claim, published
from attex.claims.numbers import BASE, Number, Study
from attex.claims.quantities import key_of
from attex.studies.kinds.deception import Deception
from attex.studies.kinds.frontier import Frontier
from attex.studies.kinds.guides import Guides
from attex.studies.kinds.roar import Roar
from attex.studies.kinds.side_by_side import SideBySide

WIEGREFFE = "wiegreffe_pinter_2019"
SST = {"dataset": "sst", "encoder": "lstm", "attention": "tanh", "projection": "softmax"}
Rows = list[dict[str, Any]]


def row(quantity: str, value: float, class_: str = "overall", **about: Any) -> dict[str, Any]:
    number = {
        "seed": 0,
        "quantity": quantity,
        "class": class_,
        "value": value,
        "low": None,
        "high": None,
    }
    return SST | about | number


def named(rows: Any) -> dict[tuple[str, ...], float]:
    """By cell, setting, quantity and class."""
    return {
        (*(one[n] for n in SST), one["setting"], one["quantity"], one["class"]): one["value"]
        for one in rows
    }


def of_ledger(paper: str, **where: Any) -> Claim:
    (claim,) = published(paper=paper, **where)
    return claim


def test_the_adversary_at_the_printed_weight_stands_for_the_published_one() -> None:
    rows = [
        row(quantity, value, class_, variant=f"adversary, λ = {weight}")
        for weight in ("0.00105", "0.2")
        for quantity, value, class_ in (
            ("jsd(base)", 0.5, "overall"),
            ("jsd(base)[0-0.25] median", 0.1, "overall"),
            ("tvd(base)", 0.08, "overall"),
            ("accuracy(uniform)", 0.6, "overall"),
            ("f1", 0.82, "positive"),
        )
    ]
    # Table 4 has no such dataset: there every λ is a setting.
    rows.append(row("jsd(base)", 0.3, dataset="20news", variant="adversary, λ = 0.2"))
    rows.append(row("f1", 0.81, "positive", variant="uniform"))
    rows.append(row("f1", 0.83, "positive", variant="base"))
    rows.append(row("f1", 0.83, "positive", variant="another seed"))
    study = Frontier(weights=(0.00105, 0.2), divergence="kl")
    found = named(study.as_published(rows))
    cell = tuple(SST.values())
    as_printed = {
        (*cell, BASE, "jsd(adversary, unfrozen)", "overall"): 0.5,
        # They halve TVD.
        (*cell, BASE, "tvd_half(adversary, unfrozen)", "overall"): 0.04,
        (*cell, BASE, "f1(adversary, unfrozen)", "positive"): 0.82,
        (*cell[:3], "uniform", BASE, "f1", "positive"): 0.81,
        (*cell, BASE, "f1", "positive"): 0.83,
    }
    assert as_printed.items() <= found.items()
    others = {key for key in found if key not in as_printed}
    assert {key[4] for key in others} == {"λ = 0.2"}, "another λ is a setting"
    assert len(others) == 4
    for (*about, _, quantity, class_), value in as_printed.items():
        assert isinstance(value, float)
        where = dict(zip(SST, about, strict=True)) | {"quantity": quantity, "class_": class_}
        assert published(paper=WIEGREFFE, **where), where


def test_of_adversaries_without_a_printed_weight_the_largest_stands() -> None:
    rows = [
        row("accuracy", 0.7, variant=f"frozen adversary, λ = {weight}", setting=setting)
        for weight in ("0.1", "1")
        for setting in (BASE, "another swap")
    ]
    found = named(Frontier(weights=(0.1, 1.0)).as_published(rows))
    assert {key[4] for key in found} == {BASE, "λ = 0.1", "another swap", "another swap, λ = 0.1"}
    assert {key[5] for key in found} == {"accuracy(adversary, frozen)"}
    assert of_ledger("meister_2021", quantity="accuracy(adversary, frozen)", **SST).mean == 0.76


def test_guides_are_named_by_whose_weights_they_are() -> None:
    levels = ("the base itself", "uniform", "own", "base's", "adversary's", "base's, cross-fit")
    rows = [row("f1", 0.1 * place, "positive", guide=level) for place, level in enumerate(levels)]
    found = named(Guides().as_published(rows))
    given = ("sst", "average", "imposed", "imposed", BASE)
    assert found == {
        (*SST.values(), BASE, "f1", "positive"): 0.0,
        ("sst", "average", "tanh", "uniform", BASE, "f1", "positive"): 0.1,
        ("sst", "average", "tanh", "softmax", BASE, "f1", "positive"): 0.2,
        (*given, "f1(guide=lstm)", "positive"): pytest.approx(0.3),
        (*given, "f1(guide=adversary)", "positive"): 0.4,
    }
    table_3 = {
        (*c.cell, c.quantity) for c in published(paper=WIEGREFFE, location="Table 3", dataset="sst")
    }
    mlps = {(*key[:4], key[5]) for key in found if key[1] == "average"}
    assert mlps == table_3


def test_deception_has_its_weight_in_the_name() -> None:
    about = {"dataset": "pronoun", "encoder": "embedding", "attention": "linear"}
    rows = [
        row(quantity, 0.5, weight=weight, **about)
        for quantity in ("accuracy", "impermissible_mass", "accuracy(removed)")
        for weight in ("0", "0.1", "1")
    ]
    found = {key[5] for key in named(Deception().as_published(rows))}
    claims = published(paper="pruthi_2020", encoder="embedding", dataset="pronoun")
    assert found == {c.quantity for c in claims if "lambda" in c.quantity}


def test_what_a_curve_comes_to_is_worked_out_of_each_seed() -> None:
    # Random tokens: 1, 0.5, 0 at shares 0, ½, 1, so that the area above the end is ½; the measure
    # loses all at once, and the area between the two is ¼.
    curves = {"random": (1.0, 0.5, 0.0), "attention": (1.0, 0.0, 0.0)}
    curves["input_x_gradient(target=gold)"] = (1.0, 1.0, 1.0)
    # What Madsen et al. call a gradient is a norm over all words.
    curves["gradient(target=gold_loss)"] = (1.0, 0.0, 0.0)
    rows = [
        row("f1_macro", value, masking="recursive", measure=measure, share=share)
        for measure, values in curves.items()
        for share, value in zip(("0", "0.5", "1"), values, strict=True)
    ]
    found = named(Roar(quantity="f1_macro").as_published(rows))
    attention = (*SST.values(), BASE, "racu_recursive(attention)", "overall")
    gradient = (*SST.values(), BASE, "racu_recursive(input_x_gradient(target=gold))", "overall")
    assert found == {attention: pytest.approx(0.5), gradient: pytest.approx(-1)}, "clipped to −1"
    keys = {claim.key for claim in published(paper="madsen_2022_recursive_roar", dataset="sst")}
    assert {key_of(attention[5]), key_of(gradient[5])} <= keys


def test_tests_side_by_side_are_named_as_alone() -> None:
    rows = [
        row("f1", 0.8, "positive", tested="guides: base's"),
        row("f1", 0.7, "positive", tested="itself"),
    ]
    found = named(SideBySide().as_published(rows))
    assert [key[5] for key in found] == ["f1(guide=lstm)"]


def test_a_further_table_adds_what_the_first_has_not() -> None:
    def numbers(quantity: str, value: float) -> Number:
        return Number(("sst", "lstm", "tanh", "softmax"), {}, "0", quantity, "overall", value)

    first = Study.of("wp", [numbers("accuracy", 0.8)])
    jsd = "jsd(adversary, unfrozen)"
    both = first.with_further([numbers("accuracy", 0.7), numbers(jsd, 0.5)])
    claim = of_ledger(WIEGREFFE, quantity=jsd, **SST)
    assert both.values(claim) == [0.5]
    assert first.values(claim) == []
    assert both._values[BASE]["accuracy"][claim.cell]["overall"] == {"0": 0.8}


def test_a_further_table_adds_seeds_to_those_of_the_first() -> None:
    def numbers(*values: tuple[str, float]) -> list[Number]:
        cell = ("sst", "lstm", "tanh", "softmax")
        return [Number(cell, {}, seed, "accuracy", "positive", value) for seed, value in values]

    first = Study.of("jw", numbers(("0", 0.8), ("1", 0.7)))
    both = first.with_further(numbers(("1", 0.1), ("2", 0.6)))
    (by_class,) = both._values[BASE]["accuracy"].values()
    assert by_class == {"positive": {"0": 0.8, "1": 0.7, "2": 0.6}}
    (unchanged,) = first._values[BASE]["accuracy"].values()
    assert unchanged == {"positive": {"0": 0.8, "1": 0.7}}


def test_a_small_study_of_deception_gets_its_verdicts(tmp_path: Path) -> None:
    """Texts under the name of a published dataset: what the study leaves is judged."""
    folder = tmp_path / "data" / "deceptive" / "pronoun"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for split, count in (("train", 60), ("dev", 20), ("test", 20)):
        labels = rng.integers(0, 2, count)
        lines = [f"{'FM'[n]}\tthen {('she', 'he')[n]} went home\n" for n in labels]
        (folder / f"{split}.txt").write_text("".join(lines))
    base = {
        "data": {"type": "deceptive", "task": "pronoun", "markers": False},
        "model": {"embedding_width": 4, "encoder": "embedding", "attention": "linear"},
        "trainer": {"epochs": 1},
    }
    study = {"study": "deception", "base": base, "weights": [0, 0.1, 1], "seeds": [0, 1], "name": "mine"}
    found = attex.run(study, data_dir=tmp_path / "data", output_dir=tmp_path / "out", device="cpu")
    assert isinstance(found, attex.FinishedStudy)
    judged = {
        one.claim.quantity: one
        for one in judge_all(from_runs({"mine": found.path}))
        if one.ours is not None and one.claim.paper == "pruthi_2020"
    }
    assert judged.keys() == {
        f"{what}(lambda={weight})"
        for what in ("accuracy", "impermissible_mass")
        for weight in ("0", "0.1", "1")
    }
    numbers = found.runs.filter(pl.col("class") == "overall", pl.col("weight") == 1)
    mass = numbers.filter(pl.col("quantity") == "impermissible_mass")["value"].mean()
    ours = judged["impermissible_mass(lambda=1)"].ours
    assert ours is not None
    assert ours.mean == pytest.approx(mass)
    assert "accuracy" not in {one.claim.quantity for one in judged.values()}
