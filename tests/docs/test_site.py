"""The site builds without a warning, every link leads somewhere, and the checks see what is wrong."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from snippets import ROOT, pages

sys.path.insert(0, str(ROOT / "docs"))
from making import site_check, site_tree

FIGURES = sorted((ROOT / "docs" / "figures").glob("*.svg"))
NUMBER = re.compile(r"\d+\.\d+")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built from a copy of the docs."""
    if importlib.util.find_spec("zensical") is None:
        pytest.skip("needs zensical: pip install 'attex[docs]'")
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(ROOT / "zensical.toml", folder)
    for name in ("src", "docs"):
        (folder / name).symlink_to(ROOT / name)
    site_tree.build_tree(folder / "build" / "docs")
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "Warning" not in built.stdout + built.stderr
    return folder / "site"


def test_the_site_leads_somewhere_and_needs_no_network(site: Path) -> None:
    assert site_check.problems(site) == []


def test_every_page_is_on_the_site_and_in_its_navigation(site: Path) -> None:
    assert set(site_tree.pages()) == set(pages())
    config = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    for place in site_tree.pages().values():
        assert (site / place).with_suffix(".html").is_file()
        assert f'"{place}"' in config, f"zensical.toml does not lead to {place}"


TYPING = """<script>
window.addEventListener("load", () => setTimeout(() => {
  document.querySelector(".md-search__button").click();
  setTimeout(() => {
    const hosts = [...document.querySelectorAll("*")].filter((one) => one.shadowRoot);
    const input = hosts.map((one) => one.shadowRoot.querySelector("input")).find((one) => one);
    input.value = "sparsemax";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    setTimeout(() => { document.title = input.getRootNode().textContent; }, 1500);
  }, 1000);
}, 1000));
</script></body>"""
"""A reader who opens the search and types."""


def test_the_search_works_from_files(site: Path) -> None:
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("needs chromium")
    page = (site / "analyses" / "truth.html").read_text(encoding="utf-8")
    (site / "analyses" / "typing.html").write_text(page.replace("</body>", TYPING), encoding="utf-8")
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--virtual-time-budget=9000",
        "--dump-dom",
    ]
    address = (site / "analyses" / "typing.html").as_uri()
    done = subprocess.run([browser, *options, address], capture_output=True, text=True, timeout=120)
    (site / "analyses" / "typing.html").unlink()
    title = re.findall(r"<title>(.*?)</title>", done.stdout, re.S)[0]
    assert re.search(r"\d+ results", title), title
    assert "The Euclidean projection onto the simplex" in title


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ('<a href="gone.html">x</a>', "leads nowhere"),
        ('<a href="#gone">x</a>', "leads nowhere"),
        ('<a href="other.html#gone">x</a>', "leads nowhere"),
        ('<img src="gone.svg" alt="x">', "is not there"),
        ('<img src="other.html">', "without words"),
        ('<script src="https://example.org/x.js"></script>', "comes from a network"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "comes from a network"),
    ],
)
def test_what_is_wrong_is_seen(page: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(page)
    (tmp_path / "other.html").write_text('<h1 id="there">x</h1><a href="index.html">x</a>')
    (tmp_path / "search.json").write_text('{"items": [{"location": ""}, {"location": "other.html"}]}')
    (found,) = site_check.problems(tmp_path)
    assert problem in found
    (tmp_path / "index.html").write_text('<a href="other.html#there">x</a>')
    assert site_check.problems(tmp_path) == []
    (tmp_path / "search.json").write_text('{"items": [{"location": "other.html"}]}')
    assert site_check.problems(tmp_path) == ["index.html: is not in the index of the search"]


OF_ANALYSES = sorted((ROOT / "docs" / "analyses").glob("*.md"))


@pytest.mark.parametrize("page", OF_ANALYSES, ids=lambda p: p.stem)
def test_a_page_about_an_analysis_has_one_figure_whose_caption_says_its_numbers(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"!\[[^\]]+\]\((.*?)\)\n\n\*(.*?)\*\n\n", text, re.S)
    assert len(found) == text.count("![") == 1
    for figure, caption in found:
        drawn = (page.parent / figure).read_text(encoding="utf-8")
        shown = set(NUMBER.findall(" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", drawn))))
        stated = set(NUMBER.findall(caption)) - {"0.01"}
        assert stated <= shown, f"{page.name}: the figure does not say {stated - shown}"


def test_no_figure_is_left_over() -> None:
    used = "".join((ROOT / page).read_text(encoding="utf-8") for page in pages())
    assert [path.name for path in FIGURES if path.name not in used] == []


def test_readme_is_two_screens() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
    # The story's one figure, then page, explorer, terminal and site.
    assert text.count("![") == 5
    order = [text.index(part) for part in ("# attex", "![", "## Two commands", "## Your own texts")]
    assert order == sorted(order)
