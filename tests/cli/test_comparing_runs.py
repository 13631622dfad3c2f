"""`attex compare`, from an empty folder to the page."""

from pathlib import Path

from command_line import TINY, Attex, write

import attex


def test_from_an_empty_folder_to_the_page_of_a_comparison(attex_: Attex) -> None:
    assert attex_("compare", "one", "two") == (
        2,
        "",
        "attex: one is neither a run folder nor an experiment with a finished run in outputs\n",
    )
    write("one.json", TINY | {"importance": ["attention"], "analyses": ["truth"]})
    assert attex_("run", "one.json", "--device", "cpu")[0] == 0
    changed = ("-o", "name=two", "-o", "trainer.epochs=3")
    assert attex_("run", "one.json", "--device", "cpu", *changed)[0] == 0
    (two,) = Path("outputs/two").iterdir()
    code, printed, _ = attex_("compare", "one", str(two))
    assert code == 0
    first, accuracy, *_, last = printed.splitlines()
    assert first == "two against one: 20 texts, 1 seed"
    page = Path(last.removeprefix("compare: open "))
    assert page.is_file()
    assert page.parts[:2] == ("outputs", "compare")
    accuracies = [
        attex.load_run(path).tables["performance"]["accuracy"][0]
        for path in (*Path("outputs/one").iterdir(), two)
    ]
    before, after = accuracies
    assert accuracy.split()[:5] == [
        "accuracy",
        f"{before:.3f}",
        "→",
        f"{after:.3f}",
        f"{after - before:.3f}",
    ]
    assert attex_("compare", "one") == (2, "", "attex: one run cannot be compared: name two or more\n")
    # The list of runs has the comparison, too, and the ledger passes it over.
    assert "compare" in attex_("runs")[1]
    assert attex_("claims", "--runs", "outputs")[0] == 0
