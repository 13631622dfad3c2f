"""What is read from the source is what the registries know when all of it is imported."""

import subprocess
import sys

import pytest

from attex.catalogue import Listed, components, kinds
from attex.config.registries import REGISTRIES
from attex.runner.engine import ENGINES
from attex.studies.conclusion import CONCLUSIONS
from attex.studies.study import STUDIES

ALL = REGISTRIES | {kind.kind: kind for kind in (ENGINES, STUDIES, CONCLUSIONS)}


def test_the_kinds_are_those_of_the_registries_in_their_order() -> None:
    assert list(kinds()) == list(ALL)


@pytest.mark.parametrize("kind", ALL)
def test_the_components_are_those_that_are_registered(kind: str) -> None:
    alive = [
        Listed(
            one.name,
            one.summary,
            one.aliases,
            one.cite,
            one.facts.get("requires", {}),
            one.facts.get("needs") or "",
            one.facts.get("needs_if", ()),
        )
        for one in ALL[kind]
    ]
    assert components(*kinds()[kind]) == alive


def test_a_need_that_is_not_met_is_listed_with_what_brings_it() -> None:
    needs = {"json": "Python", "no_such_package": "pip install it", "no-such-command": "a machine"}
    line = Listed("name", "What it does.", ("alias",), "Author 2000", needs).line()
    assert line == (
        "name (alias)           What it does. [Author 2000]; missing here: pip install it, a machine"
    )


def test_listing_imports_none_of_what_it_lists() -> None:
    code = (
        "import sys, attex.cli\n"
        "from typer.testing import CliRunner\n"
        "assert CliRunner().invoke(attex.cli.app, ['list']).exit_code == 0\n"
        "assert not {'torch', 'numpy', 'attex.foundations.registry'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
