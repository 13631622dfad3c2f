"""The overview of the results: what it says is what the tables of the papers have."""

import functools
from typing import Any

import polars as pl
from results.directions import ABOVE, ACCURACY, ATTENTION, directions
from results.pairs import OF_TRANSFORMER, among_methods, mean_of, with_attention
from results.paper_numbers import PaperNumbers
from results.papers import PLACE

CELL = ("sst", "lstm", "tanh", "softmax")
OVERVIEW = PLACE.parent / "docs" / "results" / "index.md"


@functools.cache
def paper(name: str) -> PaperNumbers:
    return PaperNumbers(name, PLACE)


def test_the_overview_says_what_the_tables_do() -> None:
    text = OVERVIEW.read_text(encoding="utf-8")
    theirs = []
    neely = paper("neely_schouten_2020")
    for data in ("sst", "imdb"):
        cell = (data, "lstm", "tanh", "sparsemax")
        for measure in ("gradient", "leave_one_out"):
            pair = f"(k=non_zero)(attention, {measure})"
            assert neely.seeds(cell, f"top_k_published{pair} calibrated").mean < 0.05
            assert neely.seeds(cell, f"top_k{pair} calibrated").least > 0.5
            of_class = (neely.claim(cell, f"top_k_published{pair}", c) for c in ("positive", "negative"))
            theirs += [claim.mean for claim in of_class if claim is not None]
    assert f"{min(theirs):.2f} to {max(theirs):.2f}" in text
    assert "more than half of the way" in text
    meister = paper("meister_2021")
    tau = "kendall_tau(attention, leave_one_out)"
    gained, elsewhere = (
        sum(one.change for one in meister.changes(f"{tau} calibrated{ending}", "sparsemax"))
        for ending in ("", ", permuted")
    )
    assert elsewhere > gained / 2
    lost = meister.changes("comprehensiveness(attention) over random", "sparsemax")
    sides = [one.side for one in lost if one.seeds > 1]
    assert sides.count("↑") > len(sides) / 2
    assert "↓" not in sides


def test_the_overview_says_how_attention_and_methods_agree() -> None:
    text = " ".join(OVERVIEW.read_text(encoding="utf-8").split())
    neely = paper("neely_2022")
    minilm, means = neely.together(["neely_2022_pretrained"]), []
    for data in ("sst", "imdb", "snli"):
        cell = (data, "lstm", "tanh", "softmax")
        assert mean_of(neely, cell, with_attention()).most < mean_of(neely, cell, among_methods()).least
        tuned = (data, "pretrained_classifier", "own", "softmax")
        means.append(mean_of(minilm, tuned, among_methods(OF_TRANSFORMER)).mean)
    assert "attention of a BiLSTM agrees less with the methods than these do with each other" in text
    assert f"their mean τ is {min(means):.2f} to {max(means):.2f} on the three datasets" in text
    even, own = (
        mean_of(neely, ("snli", "lstm", "tanh", projection), with_attention())
        for projection in ("uniform", "softmax")
    )
    assert own.least < even.mean < own.most
    assert "On SNLI even weights agree with them as much as trained attention does." in text


def rows_of(folder: str, table: str) -> list[dict[str, Any]]:
    return pl.read_csv(PLACE / folder / f"{table}.csv", infer_schema_length=None).to_dicts()


def test_the_overview_says_what_models_against_models_gave() -> None:
    text = OVERVIEW.read_text(encoding="utf-8")
    wiegreffe = paper("wiegreffe_pinter_2019")
    jsd = "jsd(adversary, unfrozen)"
    ours = wiegreffe.together(["wiegreffe_pinter_2019_table_4"]).seeds(CELL, jsd)
    assert len(ours.values) == 3
    assert f"JSD is {ours.least:.2f} to {ours.most:.2f} with three seeds" in text
    assert f"published is\n{wiegreffe.published(CELL, jsd):.2f}" in text
    assert wiegreffe.worded(CELL, "tvd_half(adversary, unfrozen)") == "0.036, reproduced"
    student = ("sst", "average", "imposed", "imposed")
    guided = wiegreffe.together(["wiegreffe_pinter_2019_guides"])
    said = {
        "lstm": "of {:.2f} under the base's ({:.2f})",
        "adversary": "F1 of {:.2f} under an\nadversary's weights (published is {:.2f})",
    }
    f1 = {guide: guided.seeds(student, f"f1(guide={guide})", class_="positive") for guide in said}
    for guide, words in said.items():
        theirs = wiegreffe.published(student, f"f1(guide={guide})", "positive")
        assert words.format(f1[guide].mean, theirs) in text
    even = guided.seeds(("sst", "average", "tanh", "uniform"), "f1", class_="positive")
    assert f1["adversary"].most < even.least
    assert "weights that were trained to lie are worse than even ones" in text
    on_imdb = wiegreffe.together(["wiegreffe_pinter_2019_guides_imdb"])
    theirs = wiegreffe.published(("imdb", *student[1:]), "f1(guide=lstm)", "positive")
    base_s = on_imdb.seeds(("imdb", *student[1:]), "f1(guide=lstm)", class_="positive")
    even = on_imdb.seeds(("imdb", "average", "tanh", "uniform"), "f1", class_="positive")
    assert f"On IMDB it has {base_s.mean:.2f} under the base's ({theirs:.2f})" in text
    assert even.most < base_s.least
    frontier = rows_of("wiegreffe_pinter_2019", "wiegreffe_pinter_2019_frontier_frontier")
    (free,) = (row for row in frontier if row["kind"] == "adversary" and row["at"] == 0.0016)
    (seed,) = (row for row in frontier if row["kind"] == "another seed")
    assert f"JSD of {free['jsd']:.2f} and the output at a TVD of {free['tvd']:.3f}" in text
    assert f"({seed['tvd']:.3f}, with attention at {seed['jsd']:.2f})" in text
    frozen = [row for row in frontier if row["kind"] == "frozen adversary"]
    assert {row["beyond_bound"] for row in frozen} == {0.0}
    # As far away as the free one, a frozen one moves the output more.
    assert all(row["tvd"] > free["tvd"] for row in frozen if row["jsd"] >= free["jsd"])
    roar, retrained = paper("roar"), rows_of("roar", "madsen_2022_released_recursive_racu")
    racu = {row["measure"].partition("(")[0]: row for row in retrained}
    said = {
        "input_x_gradient": "RACU is {racu:.2f}, published {published:.2f}",
        "attention": "0.05 [{low:.2f}, {high:.2f}], published {published:.2f}",
    }
    for measure, words in said.items():
        theirs = {"published": roar.published(CELL, f"racu_recursive({measure})")}
        assert words.format(**racu[measure] | theirs).replace("-", "−") in text
    assert f"{racu['attention']['racu']:.2f} [" in text
    of_babi, of_news = (
        {row["measure"]: row for row in rows_of("roar", f"madsen_2022_{name}_racu")}
        for name in ("babi", "20news")
    )
    published = roar.published(("babi_1", *CELL[1:]), "racu_recursive(attention)")
    needed, news = (
        f"{{racu:.2f}} [{{low:.2f}}, {{high:.2f}}]{end}" for end in (", published", ", where")
    )
    for words, row in ((needed, of_babi["attention"]), (news, of_news["attention"])):
        assert words.format(**row).replace("-", "−") in " ".join(text.split())
    assert of_babi["attention"]["low"] > 0 > of_news["attention"]["low"]
    assert f"published {published:.2f}. On 20News" in " ".join(text.split())
    assert f"those of the gradient come to {of_news['gradient']['racu']:.2f}" in " ".join(text.split())
    curves = rows_of("roar", "madsen_2022_snli_labels_retrained")
    at = {(row["measure"], row["share"]): row for row in curves}
    gold, own = (at[f"input_x_gradient{end}", 0.5] for end in ("(target=gold)", ""))
    text = " ".join(text.split())
    told = "premise has an accuracy of {value:.2f} [{low:.2f}, {high:.2f}], where"
    assert told.format(**gold) in text
    assert f"whole premises give {at['random', 0]['value']:.2f}. By the same scores" in text
    assert "own decision it is {value:.2f} [{low:.2f}, {high:.2f}]".format(**own) in text
    assert gold["low"] > own["high"], "the label is told"
    ways = directions(paper("pruthi_2020"))
    assert ways.counted(ATTENTION) == "12 of 12"
    assert ways.counted(ACCURACY) == "11 of 12"
    assert ways.counted(ABOVE) == "12 of 12"
    assert "In all 12 rows" in text
    assert (
        "accuracy goes the way of theirs in 11, and beside models that never saw these words in all 12."
        in text
    )


def test_the_overview_counts_what_all_tests_say() -> None:
    text = " ".join(OVERVIEW.read_text(encoding="utf-8").split())
    says = []
    for study in ("side_by_side_sst", "side_by_side_sst_words"):
        rows = rows_of("use_of_attention", f"{study}_side_by_side")
        says.append({row["test"]: row["says"] for row in rows})
    bilstm, words = says
    # Another seed is what others are held against, and no test.
    assert all(one.pop("another seed") == "a yardstick" for one in (bilstm, words))
    assert (len(bilstm), len(words)) == (13, 11)
    assert "Thirteen tests of the BiLSTM's attention on SST, and eleven of" in text
    for_it, against = ([*words.values()].count(what) for what in ("for it", "against it"))
    assert (for_it, against) == (7, 1)
    assert words["exact adversary"] == bilstm["exact adversary"] == "against it"
    assert "seven tests speak for the attention and one against it: the exact adversary" in text
    assert ([*bilstm.values()].count("for it"), [*bilstm.values()].count("against it")) == (4, 2)
    assert "Of the BiLSTM four speak for it and two against it" in text
    assert bilstm["permutation"] == "does not tell"


def test_the_overview_says_what_attention_is_of_use_for() -> None:
    text = " ".join(OVERVIEW.read_text(encoding="utf-8").split())
    rows = rows_of("use_of_attention", "use_of_attention_use_of_attention")
    assert len(rows) == 16
    assert "Of 16 kinds of model on SST, 20News and AG News none is seen to lose accuracy" in text
    assert {row["dataset"] for row in rows} == {"sst", "20news", "ag_news"}
    assert all(row["lost_trained_low"] <= 0 for row in rows)
    lose = sum(row["lost_put_in_low"] > 0 for row in rows)
    assert f"after training, {lose} of {len(rows)} lose some" in text
    # Towards ln 2, the most that there is; all others are below 0.3.
    other = [row for row in rows if row["jsd"] >= 0.3]
    kinds = {(row["dataset"], row["encoder"], row["projection"]) for row in other}
    of_cnn = {(data, "cnn", "sparsemax") for data in ("sst", "20news", "ag_news")}
    assert kinds == of_cnn | {(data, "lstm", "sparsemax") for data in ("sst", "20news")}
    least, most = (pick(row["jsd"] for row in other) for pick in (min, max))
    assert f"adversaries at a JSD of {least:.2f} to {most:.2f} that decide as well" in text
    assert [row["adversary"] for row in rows].count("none is as good") == 5
    assert "Five have none that does" in text
