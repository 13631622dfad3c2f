"""Every dataset with every encoder, from one file by overrides; in the sample each with some."""

from pathlib import Path

import pytest
from toys import WORD_ENCODERS

from attex.data.folder import DataFolder
from attex.runner.run_files import run_files

FILE = Path(__file__).parent.parent / "experiments" / "sst_tanh_softmax.jsonnet"
DATASETS = ("sst", "imdb", "20news", "ag_news", "rotten_tomatoes", "eraser_movies", "planted")
SMALL = (
    "data.limit=16",
    "vectors=null",
    "model.embedding_width=8",
    "trainer.epochs=1",
    "trainer.metric=accuracy",
    "seeds=[0]",
    'importance=["attention", "gradient"]',
    'analyses=[{"type": "agreement", "statistics": [{"type": "top_k", "k": 3}], "draws": 9}]',
)


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("matrix")


def encoders_for(dataset: str, everything: bool) -> list[str]:
    """Name every encoder, or the one whose turn it is: none is left out over all datasets."""
    names = [encoder.name for encoder in WORD_ENCODERS]
    assert len(names) <= len(DATASETS)
    return names if everything else [names[DATASETS.index(dataset) % len(names)]]


@pytest.mark.parametrize("dataset", DATASETS)
def test_encoders_run_on_it(dataset: str, real_data: DataFolder, output: Path, everything: bool) -> None:
    for encoder in encoders_for(dataset, everything):
        overrides = (f'data={{"type": "{dataset}"}}', *SMALL, f"model.encoder={encoder}")
        assert run_files([FILE], overrides, real_data.root, output, "cpu", until="analyses")
