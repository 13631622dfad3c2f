"""Verdicts on the whole ledger from small tables, and the page that says so."""

import csv
from collections import Counter
from pathlib import Path

import pytest
from number_files import PUBLISHED, SST, TAU, rows, write_rows
from scipy import stats

from attex.analyses.analysis import ANALYSES
from attex.claims import verb
from attex.claims.causes import EXPLAINS
from attex.claims.judging import Judgement, from_results, from_runs, judge_all
from attex.claims.ledger import published
from attex.claims.page import cause_table, chance_sentence, page
from attex.claims.quantities import key_of
from attex.claims.reach import hindrance
from attex.claims.verdict import Verdict
from attex.data.reader import READERS
from attex.foundations.errors import UserError
from attex.models.architecture import MODELS
from attex.studies.study_file import find_study
from attex.studies.universes import cells_of

STUDIES = Path(__file__).parents[2] / "experiments" / "studies"
LSTM_F1 = {"dataset": "ag_news", "encoder": "lstm", "attention": "tanh", "projection": "softmax"}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """One number of Jain & Wallace that differs, for a reason; one of F1 that two papers have."""
    lines = rows([0.10, 0.11, 0.12], setting="as published")
    lines += rows([0.34, 0.35, 0.36], setting="vectors of length 1")
    lines += rows([0.958, 0.959, 0.960], "f1", "business", LSTM_F1, setting="as published")
    write_rows(tmp_path / "results" / "jain_wallace_2019" / "numbers.csv", lines)
    return tmp_path / "results"


def by_name(judgements: list[Judgement], **where: str) -> Judgement:
    (claim,) = published(**where)
    return next(one for one in judgements if one.claim == claim)


def test_every_number_gets_one_verdict_and_those_without_ours_a_reason(results: Path) -> None:
    judgements = judge_all(from_results(results))
    assert [one.claim for one in judgements] == published()
    for one in judgements:
        if one.ours is None:
            assert one.reason
            why = hindrance(one.claim)
            assert one.verdict is (why.verdict if why else Verdict.NOT_RUN)


def test_a_number_that_differs_has_its_tested_cause(results: Path) -> None:
    tau = by_name(
        judge_all(from_results(results)),
        paper="jain_wallace_2019",
        quantity=TAU,
        class_="overall",
        **SST,
    )
    assert (tau.verdict, tau.claim.mean, tau.study) == (Verdict.DIFFERS, PUBLISHED, "jain_wallace_2019")
    assert tau.cause is not None
    assert (tau.cause.kind, tau.cause.after) == (EXPLAINS, "vectors of length 1")


def test_a_replication_is_judged_by_the_study_that_it_repeats(results: Path) -> None:
    judgements = judge_all(from_results(results))
    for paper in ("jain_wallace_2019", "wiegreffe_pinter_2019"):
        some = [
            one
            for one in judgements
            if one.claim.paper == paper
            and one.claim.cell == tuple(LSTM_F1.values())
            and (one.claim.quantity, one.claim.class_) == ("f1", "business")
        ]
        assert some
        assert {one.study for one in some} == {"jain_wallace_2019"}
    about = {"quantity": TAU, "class_": "positive", **SST, "paper": "neely_schouten_2020"}
    assert by_name(judgements, **about).verdict is Verdict.NOT_RUN, "their settings are others"


PAIRS = ("jain_wallace_2019_pairs", "jain_wallace_2019_snli", "babi_2_seeds")
MODEL = {"encoder": "lstm", "attention": "tanh", "projection": "softmax"}


def pair_tables(results: Path) -> None:
    """Write tables of models with two texts, in the form that `python -m results.papers` gives them."""

    def lines(data: str, quantity: str, class_: str, **settings: list[float]) -> list[dict[str, str]]:
        about = {"dataset": data} | MODEL
        named = {name.replace("_", " "): values for name, values in settings.items()}
        return [
            row
            for setting, values in named.items()
            for row in rows(values, quantity, class_, about, setting=setting)
        ]

    half = "half_of_the_training_texts"
    pairs = lines("snli", TAU, "overall", as_published=[0.30, 0.31, 0.32], **{half: [0.2, 0.2, 0.2]})
    pairs += lines("snli", TAU, "neutral", as_published=[0.6, 0.61, 0.62], **{half: [0.3, 0.31, 0.31]})
    pairs += lines("babi_1", "accuracy", "overall", as_published=[0.999, 1.0, 1.0])
    pairs += lines("babi_2", "accuracy", "overall", as_published=[0.5, 0.6, 0.7])
    pairs += lines("babi_1", BINNED, "overall", as_published=[float("nan")] * 3)
    # The same models stand in this table, too; only what they are swapped with is new.
    snli = lines("snli", TAU, "neutral", as_published=[0.6, 0.61, 0.62], GloVe=[0.2, 0.21, 0.22])
    seeds = lines("babi_2", "accuracy", "overall", as_published=[0.5, 0.6, 0.7, 0.8, 0.4])
    for name, table in zip(PAIRS, (pairs, snli, seeds), strict=True):
        write_rows(results / "jain_wallace_2019" / f"numbers_{name}.csv", table)


BINNED = "median_output_change[0.25-0.5] median"


def test_models_of_two_texts_are_judged_by_all_tables_that_have_them(results: Path) -> None:
    pair_tables(results)
    judgements = judge_all(from_results(results))

    def of(dataset: str, quantity: str, class_: str = "overall") -> Judgement:
        about = {"dataset": dataset, "quantity": quantity, "class_": class_}
        return by_name(judgements, paper="jain_wallace_2019", **about, **MODEL)

    tau = of("snli", TAU)
    assert (tau.verdict, tau.study, tau.setting) == (Verdict.REPRODUCED, PAIRS[0], "as published")
    assert tau.ours is not None
    assert (tau.ours.seeds, tau.ours.mean) == (3, pytest.approx(0.31))
    # Classes have the names that the data give them; a swap of either table may be the cause.
    neutral = of("snli", TAU, "neutral")
    assert neutral.verdict is Verdict.DIFFERS
    assert neutral.cause is not None
    assert neutral.cause.tried == 2
    five = of("babi_2", "accuracy")
    assert (five.verdict, five.claim.mean) == (Verdict.UNCERTAIN, 0.653)
    assert five.ours is not None
    assert (five.ours.seeds, five.ours.mean) == (5, pytest.approx(0.6))
    # One encoder and attention has one spread over seeds: that of bAbI 2 is in it.
    assert of("babi_1", "accuracy").verdict is Verdict.UNCERTAIN
    undefined = of("babi_1", BINNED)
    assert (undefined.verdict, undefined.ours) == (Verdict.NOT_RUN, None)
    assert undefined.reason.startswith("undefined here")
    assert of("babi_3", "accuracy").reason == "no model of ours has been measured for it"
    # What stands beside them is judged as before.
    assert of("sst", TAU).verdict is Verdict.DIFFERS


def test_every_number_about_pairs_is_offered_by_the_study_or_has_a_reason() -> None:
    """What training will answer, quantity by quantity: of the study file and the ledger alone."""
    file = find_study(STUDIES / f"{PAIRS[0]}.jsonnet")
    assert file is not None
    offered: dict[tuple[str, ...], set[str]] = {}
    classes: dict[str, set[str]] = {}
    for cell in cells_of(file):
        config = cell.configs[0]
        model = MODELS.bind(config.model)
        asked = [ANALYSES.bind(spec) for spec in (ANALYSES.spec("performance"), *config.analyses)]
        names = {n for one in asked for n in one.offers(config.importance, model.encoder_class)}
        offered[tuple(cell.about.values())] = {key_of(name) for name in names}
        classes[cell.about["dataset"]] = {*READERS.bind(config.data).class_names(), "overall"}
    about = [c for c in published(paper="jain_wallace_2019") if c.dataset in classes]
    assert len(about) == 401
    for claim in about:
        if hindrance(claim) is None:
            assert claim.class_ in classes[claim.dataset]
            # In a bin of the highest weight there may be no text: it cannot be promised.
            assert claim.key.partition("[")[0] in offered[claim.cell]


def test_what_was_counted_is_the_same_or_not(tmp_path: Path) -> None:
    nothing = dict.fromkeys(("encoder", "attention", "projection"), "")
    lines = rows([9017], "n_train", about={"dataset": "pronoun"} | nothing)
    lines += rows([871], "n_dev", about={"dataset": "sst-wiki"} | nothing)
    write_rows(tmp_path / "pruthi_2020" / "numbers.csv", lines)
    found = {one.claim.claim: one.verdict for one in judge_all(from_results(tmp_path))}
    assert found["PR-1322"] is Verdict.REPRODUCED
    assert found["PR-1327"] is Verdict.DIFFERS


def test_a_multiverse_says_on_which_side_its_universes_lie(results: Path) -> None:
    lines = [
        row
        for length in (1, 5)
        for width in range(6)
        for row in rows(
            [0.1 + 0.05 * length, 0.11 + 0.05 * length], length=str(length), width=str(width)
        )
    ]
    write_rows(results / "multiverse" / "numbers.csv", lines)
    with pytest.raises(UserError, match=r"base\.csv is missing"):
        from_results(results)
    write_rows(results / "multiverse" / "base.csv", [{"choice": "length", "is": "1"}])
    with pytest.raises(UserError, match="expected the columns choice and level"):
        from_results(results)
    write_rows(results / "multiverse" / "base.csv", [{"choice": "length", "level": "1"}])
    about = {"paper": "jain_wallace_2019", "quantity": TAU, "class_": "overall", **SST}
    tau = by_name(judge_all(from_results(results)), **about)
    assert (tau.universes, tau.below, tau.above) == (12, 0.5, 0.5)
    # Another dataset has a table of its own.
    other = by_name(judge_all(from_results(results)), **(about | {"dataset": "20news"})).claim
    lines = [{**row, "dataset": "20news"} for row in lines]
    write_rows(results / "multiverse" / "numbers_20news.csv", lines)
    universes = from_results(results).universes
    assert universes is not None
    assert (len(universes.about(tau.claim)), len(universes.about(other))) == (24, 24)


def test_page_and_table_say_what_was_found_and_are_stale_when_a_number_changes(results: Path) -> None:
    told = list(verb.of_results(results))
    assert any("differs" in line and "vectors of length 1 gives 0.350" in line for line in told)
    assert verb.check(results) is None
    with (results / "claims" / "claims.csv").open(newline="") as file:
        table = {row["claim"]: row for row in csv.DictReader(file)}
    assert len(table) == len(published())
    assert all(row["source"] and (row["ours"] or row["reason"]) for row in table.values())
    text = (results / "claims" / "README.md").read_text()
    assert "as published → vectors of length 1 gives 0.350 [" in text
    numbers = results / "jain_wallace_2019" / "numbers.csv"
    numbers.write_text(numbers.read_text().replace("0.12", "0.13"))
    trouble = verb.check(results)
    assert trouble is not None
    assert "README.md is stale" in trouble
    assert "\n" not in trouble
    (results / "claims" / "claims.csv").unlink()
    assert verb.check(results) is not None


NEUTRAL = {"dataset": "snli", "quantity": TAU, "class_": "neutral", **MODEL}
HALVED, EPOCH = "half of the training texts", "the last epoch is kept"


def without_cause(results: Path) -> None:
    """Write a number that differs, and that neither a swap nor fewer texts move."""
    about = {"dataset": "snli"} | MODEL
    lines = [
        row
        for setting, values in {
            "as published": [0.60, 0.61, 0.62],
            EPOCH: [0.61, 0.62, 0.63],
            HALVED: [0.59, 0.60, 0.61],
        }.items()
        for row in rows(values, TAU, "neutral", about, setting=setting)
    ]
    # Of this one there is no swap.
    lines += rows(
        [0.7, 0.71, 0.72], "accuracy", "overall", about | {"dataset": "babi_1"}, setting="as published"
    )
    write_rows(results / "jain_wallace_2019" / "numbers_jain_wallace_2019_snli.csv", lines)


def test_a_number_without_a_cause_says_what_was_tried_and_what_halving_does(results: Path) -> None:
    without_cause(results)
    told = list(verb.of_results(results))
    with (results / "claims" / "claims.csv").open(newline="") as file:
        table = {row["claim"]: row for row in csv.DictReader(file)}
    (neutral,) = published(paper="jain_wallace_2019", **NEUTRAL)
    row = table[neutral.claim]
    assert (row["verdict"], row["cause"], row["swaps_tried"]) == ("differs", "not found", "2")
    assert row["tried"] == f"{EPOCH}; more training texts, by a line over parts"
    theirs = stats.ttest_ind([0.59, 0.60, 0.61], [0.60, 0.61, 0.62]).confidence_interval(0.95)
    halving = [float(row[name]) for name in ("halving", "halving_low", "halving_high")]
    assert halving == pytest.approx([-0.01, theirs.low, theirs.high], abs=5e-5)
    assert (row["after"], row["gives"]) == ("", "")
    (accuracy,) = published(
        paper="jain_wallace_2019", quantity="accuracy", **{"dataset": "babi_1"} | MODEL
    )
    assert (table[accuracy.claim]["cause"], table[accuracy.claim]["tried"]) == ("not tried", "")
    said = f"not found; tried: {EPOCH}; more training texts, by a line over parts. Half of the"
    text = (results / "claims" / "README.md").read_text()
    assert f"{said} training texts: changed by −0.010 [−0.0" in text
    assert any(said in line for line in told)


def test_what_is_counted_of_causes_is_what_the_table_has(results: Path) -> None:
    without_cause(results)
    judgements = judge_all(from_results(results))
    list(verb.of_results(results))
    with (results / "claims" / "claims.csv").open(newline="") as file:
        differ = [row for row in csv.DictReader(file) if row["verdict"] == "differs"]
    by_cause = Counter(row["cause"] for row in differ)
    assert set(by_cause) == {"explains", "not found", "not tried"}
    found = by_cause["explains"]
    assert f"{len(differ)} differ;" in chance_sentence(judgements)
    assert f"for {found} of them, {100 * found / len(differ):.0f} %" in chance_sentence(judgements)
    ends = f"for {by_cause['not found']} no swap that was tried is one, and for {by_cause['not tried']}"
    assert ends in chance_sentence(judgements)
    firm = sum(row["firm"] == "yes" for row in differ)
    assert firm == found, "the one cause of these tables is far from chance"
    share = f"{100 * firm / len(differ):.0f} %"
    assert f"There {firm} of\n{len(differ)} have a cause, {share}." in page(judgements)
    lines = (line.split("|")[1:-1] for line in cause_table(judgements).splitlines())
    head, _, *by_data = [[cell.strip() for cell in line] for line in lines]
    for name in by_cause:
        place = head.index(name)
        assert sum(int(line[place] or 0) for line in by_data) == by_cause[name]
    (snli,) = [line for line in by_data if line[0] == "snli"]
    assert snli[: head.index("by chance") + 1] == ["snli", "1", "1", "0.1"]


def test_a_number_from_memory_is_marked(tmp_path: Path) -> None:
    lines = rows([0.5, 0.51, 0.52], "f1", "business", LSTM_F1)
    write_rows(tmp_path / "wiegreffe_pinter_2019" / "numbers.csv", lines)
    text = page(judge_all(from_results(tmp_path)))
    marked = [line for line in text.splitlines() if line.startswith("| WP-")]
    assert marked
    assert all("(from memory)" in line for line in marked)


def test_runs_are_judged_by_the_experiment_with_most_seeds(tmp_path: Path) -> None:
    def run(name: str, means: list[float]) -> Path:
        about = SST | {"statistic": "kendall_tau", "k": "", "measure_a": "attention"}
        about |= {"measure_b": "gradient", "class": "overall"}
        lines = [
            about | {"seed": seed, "mean": str(mean), "low": "", "high": ""}
            for seed, mean in [*zip("012", means, strict=False), ("all", 9.0)]
        ]
        write_rows(tmp_path / name / "tables" / "agreement.csv", lines)
        return tmp_path / name

    folders = {"few": run("few", [0.9, 0.91]), "many": run("many", [0.34, 0.35, 0.36])}
    about = {"paper": "jain_wallace_2019", "quantity": TAU, "class_": "overall", **SST}
    tau = by_name(judge_all(from_runs(folders)), **about)
    assert (tau.verdict, tau.setting) == (Verdict.REPRODUCED, "many")
    assert tau.ours is not None
    assert (tau.ours.seeds, tau.ours.mean) == (3, pytest.approx(0.35))
    only = by_name(judge_all(from_runs({"few": folders["few"]})), **about)
    assert (only.verdict, only.setting) == (Verdict.DIFFERS, "few")


def test_the_page_of_this_checkout_says_what_its_tables_say() -> None:
    assert verb.check(verb.results_folder()) is None
