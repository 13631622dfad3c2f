"""Every dataset with every encoder, from one file by overrides."""

from pathlib import Path

import pytest

from attex.data.folder import DataFolder
from attex.models.encoder import ENCODERS
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


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_encoder_runs_on_it(dataset: str, real_data: DataFolder, output: Path) -> None:
    for encoder in ENCODERS:
        overrides = (f'data={{"type": "{dataset}"}}', *SMALL, f"model.encoder={encoder.name}")
        assert run_files([FILE], overrides, real_data.root, output, "cpu", until="analyses")
