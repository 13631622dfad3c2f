"""From a configuration and a corpus to a model."""

from pathlib import Path

import torch

from attex.config.schema import ModelConfig
from attex.data.corpus import Corpus
from attex.foundations.storage import read_tensors
from attex.models.attention import ATTENTIONS
from attex.models.classifier import AttentionModel
from attex.models.decoder import DECODERS
from attex.models.embedding import make_embedding
from attex.models.encoder import ENCODERS


def assemble(
    config: ModelConfig, corpus: Corpus, seed: int, vectors: torch.Tensor | None = None
) -> AttentionModel:
    """Build an untrained model; its weights depend on the seed only, on every device."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        embedding = make_embedding(corpus.vocabulary_size, config.embedding_width, vectors)
        encoder = ENCODERS.bind(config.encoder, config.embedding_width)
        attention = ATTENTIONS.bind(config.attention, encoder.width)
        decoder = DECODERS.bind(config.decoder, encoder.width, len(corpus.classes))
    return AttentionModel(embedding, encoder, attention, decoder)


def load_model(
    config: ModelConfig, corpus: Corpus, weights: Path, device: torch.device
) -> AttentionModel:
    """Build a trained model from its weights."""
    model = assemble(config, corpus, seed=0)
    model.load_state_dict(read_tensors(weights)[0])
    return model.to(device).eval()
