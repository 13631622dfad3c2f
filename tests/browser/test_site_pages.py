"""The site of an output folder: what it lists, and what its pages do in a real browser."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

import attex
from attex.claims.judging import from_runs, judge_all
from attex.claims.ledger import published
from attex.foundations.errors import UserError
from attex.foundations.storage import finite
from attex.site.building import SiteBuilder
from attex.site.contents import contents_of
from attex.site.numbers import DRAWS, numbers_of
from attex.studies.compare import compare, numbers_on
from attex.studies.finished_runs import FinishedRun, read_run

NAME = "one"
SMALL = {
    "data": {"type": "planted", "sizes": [40, 20, 30]},
    "model": {"embedding_width": 4, "encoder": {"type": "average", "hidden": 2}},
    "trainer": {"epochs": 2},
    "importance": ["attention", "leave_one_out"],
    "analyses": ["agreement"],
    "seeds": [0, 1],
}
STUDY = {
    "study": "multiverse",
    "name": "many",
    "keep": "runs",
    "base": {key: value for key, value in SMALL.items() if key != "seeds"},
    "choices": {"trainer.learning_rate": [0.001, 0.1]},
    "seeds": [0, 1],
}
PAGES = ("index", "compare", "studies", "ledger")


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, their comparison, and a study that left the runs of its two universes."""
    folder = tmp_path_factory.mktemp("output")
    first = attex.run(SMALL | {"name": NAME}, output_dir=folder, device="cpu")
    longer = {"trainer": {"epochs": 9}, "seeds": [1, 0, 2]}
    attex.compare(
        first,
        attex.run(SMALL | longer | {"name": "two"}, output_dir=folder, device="cpu"),
        output_dir=folder,
    )
    attex.run(STUDY, output_dir=folder, device="cpu")
    return folder


@pytest.fixture(scope="module")
def site(output: Path) -> Path:
    return SiteBuilder(output).build().parent


def data(site: Path, name: str) -> Any:
    code = (site / "data" / f"{name}.js").read_text(encoding="utf-8")
    return json.loads(code.partition(" = ")[2].removesuffix(";\n"))


def links(page: Path) -> Iterator[str]:
    yield from re.findall(r'href="([^"#]+)"', page.read_text(encoding="utf-8"))


def test_runs_have_the_settings_that_differ_and_their_numbers(output: Path, site: Path) -> None:
    listed = data(site, "runs")
    runs = {run["experiment"]: run for run in listed["runs"]}
    assert set(runs) >= {NAME, "two"}
    assert sum(run["universe"] for run in listed["runs"]) == 2
    assert set(listed["settings"]) == {"trainer.epochs", "trainer.learning_rate", "seeds"}
    assert runs["two"]["settings"]["trainer.epochs"] == "9"
    (folder,) = (output / "two").iterdir()
    accuracy = attex.load_run(folder).summary.row(0, named=True)
    assert runs["two"]["headlines"][0]["value"] == pytest.approx(accuracy["value"])
    assert all((site / run["href"]).is_file() for run in listed["runs"])
    (comparison,) = listed["comparisons"]
    names = [listed["runs"][number]["experiment"] for number in comparison["runs"]]
    assert names == [NAME, "two"]


def test_no_link_of_the_site_leads_nowhere(site: Path) -> None:
    found = [(page, link) for page in site.rglob("*.html") for link in links(page)]
    assert len(found) > len(PAGES) ** 2
    for page, link in found:
        assert (page.parent / link).is_file(), (page, link)


def test_the_ledger_has_every_number_with_the_verdict_of_attex_claims(output: Path, site: Path) -> None:
    ledger = data(site, "ledger")
    place = ledger["columns"].index("verdict")
    verdicts = Counter(row[place] for row in ledger["rows"])
    expected = judge_all(from_runs(contents_of(output).newest()))
    assert verdicts == Counter(str(one.verdict) for one in expected)


def test_a_site_elsewhere_stands_on_its_own(output: Path, tmp_path: Path) -> None:
    made = SiteBuilder(output, tmp_path / "made").build().parent
    copy = shutil.move(made, tmp_path / "moved")
    for run in data(copy, "runs")["runs"]:
        assert (copy / run["href"]).resolve().is_relative_to(copy)
        assert (copy / run["href"]).is_file()


def test_what_cannot_be_shown_is_said(output: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no finished run in"):
        SiteBuilder(tmp_path)
    (folder,) = (output / "two").iterdir()
    broken = shutil.copytree(folder, tmp_path / "out" / "broken" / folder.name)
    shutil.copytree(folder, tmp_path / "out" / "old" / folder.name)
    (broken / "config.json").write_text("{")
    (tmp_path / "out" / "old" / folder.name / "sums.parquet").unlink()
    site = SiteBuilder(tmp_path / "out").build().parent
    assert str(broken) in (site / "index.html").read_text(encoding="utf-8")
    (old,) = data(site, "runs")["runs"]
    assert "sums.parquet" in old["trouble"]


@pytest.fixture(scope="module")
def opened(browser: Any, site: Path) -> Iterator[Any]:
    """Open a page of the site from its file; nothing may be asked of a network, and nothing fail."""
    troubles: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda asked: troubles.append(asked.url) if asked.url[:4] == "http" else None)

    def open_page(name: str) -> Any:
        page.goto("about:blank")
        page.goto(f"{(site / 'index.html').as_uri().removesuffix('index.html')}{name}")
        return page

    yield open_page
    assert not troubles
    context.close()


def cells(page: Any, place: str) -> list[list[str]]:
    rows = page.locator(f"#{place} tbody tr").all()
    return [[cell.inner_text() for cell in row.locator("td").all()] for row in rows]


def headings(page: Any, place: str) -> list[str]:
    return [heading.inner_text() for heading in page.locator(f"#{place} th").all()]


def test_the_list_of_runs_is_found_sorted_and_chosen_from(opened: Any) -> None:
    page = opened("index.html")
    assert {row[1] for row in cells(page, "runs")} == {NAME, "two"}
    assert headings(page, "runs")[-2:] == ["trainer.epochs", "seeds"]
    page.get_by_label("also the universes of studies").check()
    assert len(cells(page, "runs")) == 4
    assert "trainer.learning_rate" in headings(page, "runs")
    page.get_by_role("button", name="experiment").click()
    names = [row[1] for row in cells(page, "runs")]
    page.get_by_role("button", name="experiment").press("Enter")
    assert [row[1] for row in cells(page, "runs")] == names[::-1]
    page.get_by_label("Find").fill("epochs=9")
    assert [row[1] for row in cells(page, "runs")] == ["two"]
    assert "trainer.epochs" not in headings(page, "runs")
    page.get_by_label("Find").fill("")
    for name in (NAME, "two"):
        page.get_by_label(f"Compare {name},").check()
    page.get_by_role("link", name=f"Compare {NAME} and two").click()
    page.wait_for_selector("[data-shown]")
    assert "compare.html#a=" in page.url


@pytest.fixture(scope="module")
def pairing(browser: Any, served: Any, web: Path) -> Any:
    """Call what pairs numbers, in the page."""
    page = browser.new_page()
    page.goto(served(web) + "/pairing.js")
    return lambda code, given: page.evaluate(
        f"async (given) => {{ const m = await import('/pairing.js'); {code} }}", given
    )


def test_students_t_is_that_of_scipy(pairing: Any) -> None:
    freedoms = [1, 1.5, 2, 3.7, 10, 199, 12_345.6]
    found = pairing("return given.map((freedom) => m.student(0.95, freedom));", freedoms)
    assert found == pytest.approx(stats.t.ppf(0.975, freedoms), rel=1e-9)


@pytest.mark.parametrize("names", [(NAME, "two"), ("two", NAME)])
def test_two_runs_are_compared_as_python_does(
    pairing: Any, output: Path, names: tuple[str, str]
) -> None:
    folders = [next((output / name).iterdir()) for name in names]
    runs = [read_run(folder) for folder in folders]
    numbers = [replace(r.on(r.texts), draws=drawn(r)) for r in runs]
    expected = {(row["quantity"], row["class"]): row for row in compare(*numbers)}
    code = """
        const bytes = (run) => Int8Array.from(atob(run.draws), (letter) => letter.charCodeAt(0));
        return m.differencesOf(...given.map((run) => ({ ...run, bytes: bytes(run) })));
    """
    found = {
        (r["quantity"], r["class"]): r for r in pairing(code, [finite(numbers_of(f)) for f in folders])
    }
    known = {key for key, row in expected.items() if row["seeds"]}
    assert set(found) == known
    assert len(known) > 5
    for key in known:
        ours, theirs = found[key], expected[key]
        assert ours["by"] == theirs["bounded_by"]
        for name in ("base", "value", "difference"):
            assert ours[name] == pytest.approx(theirs[name], abs=1e-9)
        # A draw is kept in a byte, which rounds it.
        bounds = [finite(theirs[name]) for name in ("low", "high")]
        width = 0 if None in bounds else bounds[1] - bounds[0]
        assert [ours["low"], ours["high"]] == pytest.approx(bounds, abs=0.02 * width + 1e-9)


def drawn(run: FinishedRun) -> Any:
    return numbers_on(run.name, run.seeds, run.texts, run.sums, run.texts, DRAWS).draws


def test_the_page_shows_what_differs_between_two_runs(opened: Any, output: Path, site: Path) -> None:
    listed = [run["experiment"] for run in data(site, "runs")["runs"]]
    page = opened(f"compare.html#a={listed.index(NAME)}&b={listed.index('two')}")
    page.wait_for_selector("[data-shown]")
    assert cells(page, "settings") == [["trainer.epochs", "2", "9"], ["seeds", "[0, 1]", "[1, 0, 2]"]]
    (folder,) = (output / "compare").iterdir()
    expected = attex.Comparison(folder).table
    shown = {(row[0], row[1]): row for row in cells(page, "numbers")}
    for row in expected.iter_rows(named=True):
        written = [f"{row[name]:.3f}".replace("-", "−") for name in ("base", "value")]
        assert shown[row["quantity"], row["class"]][2:4] == written
    assert page.get_by_role("link", name="its page is here").is_visible()
    before = cells(page, "numbers")[0]
    page.get_by_role("button", name="Swap").click()
    page.wait_for_function(
        "before => document.body.dataset.shown !== before",
        arg=" ".join(str(listed.index(name)) for name in (NAME, "two")),
    )
    after = cells(page, "numbers")[0]
    assert (after[2], after[3]) == (before[3], before[2])
    page.get_by_label("Find").fill("accuracy")
    assert {row[0] for row in cells(page, "numbers")} == {"accuracy"}


def test_a_tick_of_a_multiverse_opens_its_run(opened: Any, site: Path) -> None:
    page = opened("studies.html")
    page.get_by_role("link", name="many", exact=True).click()
    figure = page.locator("[data-chart^=curve]").first
    figure.scroll_into_view_if_needed()
    tick = figure.locator(".mark-rect.role-mark path").last
    tick.wait_for()
    tick.click()
    page.wait_for_url(re.compile(r"/many\.planted_average_tanh_softmax\.[01]/[^/]*/report\.html"))


def test_the_ledger_is_searched(opened: Any) -> None:
    page = opened("ledger.html")
    total = int(re.sub(r"\D", "", page.locator("#counted").inner_text().partition(" numbers")[0]))
    assert total == len(published())
    page.get_by_label("Paper").select_option("Neely & Schouten 2020")
    page.get_by_label("Find").fill("sst tanh softmax kendall_tau")
    rows = cells(page, "claims")
    assert rows
    assert {row[headings(page, "claims").index("what answers it")] for row in rows} == {
        "attex run neely_schouten_2020/published"
    }


def test_settings_stay_text(browser: Any, output: Path, tmp_path: Path) -> None:
    hostile = '<img src=x onerror="window.hacked=1"></script>'
    for name in (NAME, "two"):
        (folder,) = (output / name).iterdir()
        copy = shutil.copytree(folder, tmp_path / name / folder.name)
        config = json.loads((copy / "config.json").read_text())
        config["trainer"][hostile] = f"{name} {hostile}"
        (copy / "config.json").write_text(json.dumps(config))
    page = browser.new_page()
    built = SiteBuilder(tmp_path).build()
    page.goto(built.as_uri())
    assert f"trainer.{hostile}" in headings(page, "runs")
    # Runs that ended in the same second stand in the order of their names.
    listed = [run["experiment"] for run in data(built.parent, "runs")["runs"]]
    chosen = f"#a={listed.index('two')}&b={listed.index(NAME)}"
    page.goto(built.with_name("compare.html").as_uri() + chosen)
    page.wait_for_selector("[data-shown]")
    assert [f"trainer.{hostile}", f"two {hostile}", f"{NAME} {hostile}"] in cells(page, "settings")
    assert page.locator("img").count() == 0
    assert page.evaluate("window.hacked") is None
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_accessible(browser: Any, site: Path, name: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = browser.new_page(color_scheme=scheme)
    page.goto((site / f"{name}.html").as_uri())
    page.wait_for_load_state()
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()
    page.close()
