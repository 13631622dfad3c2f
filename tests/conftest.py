"""Fixtures that tests of several rooms share."""

import os
from pathlib import Path

import pytest

from attex.data.folder import DataFolder


@pytest.fixture(scope="session")
def real_data() -> DataFolder:
    """The folder of real datasets, which are not ours to commit."""
    root = os.environ.get("ATTEX_DATA")
    if not root:
        pytest.skip("needs real data: set ATTEX_DATA to the folder of raw datasets")
    return DataFolder(Path(root))
