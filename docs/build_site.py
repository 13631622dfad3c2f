"""Build the site from the docs into `site/`, and check it; `make docs` calls this.

A warning, a link that leads nowhere or anything that would be loaded from a network is an error.
"""

import subprocess
import sys
from pathlib import Path

from making.site_check import problems
from making.site_tree import ROOT, build_tree

TREE = ROOT / "build" / "docs"
SITE = ROOT / "site"


def build_site() -> list[str]:
    """Build the site and return what is wrong with it."""
    build_tree(TREE)
    zensical = Path(sys.executable).parent / "zensical"
    command = [str(zensical), "build", "--clean", "--strict"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if built.returncode:
        return [built.stdout + built.stderr]
    return problems(SITE)


if __name__ == "__main__":
    wrong = build_site()
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        sys.exit(1)
    print(f"open {SITE.relative_to(ROOT)}/index.html")
