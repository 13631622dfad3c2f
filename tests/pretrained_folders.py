"""Folders of small pretrained models with random weights, made here: tokenizer, config, safetensors."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

transformers = pytest.importorskip("transformers", reason="needs pip install 'attex[hf]'")

WORDS = ("the", "a", "film", "play", "was", "is", "good", "bad", "fine", "dull", "not", "very", "un")
ENDINGS = ("##ly", "##ness", "##s", "##ing", "##believ", "##able")
MARKERS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

KINDS = ("bert", "distilbert", "roberta", "electra")
"""Models that differ in where positions, kinds of text and heads stand."""

_SIZES: dict[str, dict[str, Any]] = {
    "bert": {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 24},
    "electra": {
        "hidden_size": 16,
        "embedding_size": 8,
        "num_attention_heads": 2,
        "intermediate_size": 24,
    },
    "roberta": {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 24},
    "distilbert": {"dim": 16, "n_heads": 2, "hidden_dim": 24},
}
_LAYERS = {"distilbert": "n_layers"}


def word_piece_tokenizer() -> Any:
    """Cut words by a vocabulary of a few words, endings and single letters."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = [*MARKERS, *WORDS, *ENDINGS, *letters, *(f"##{letter}" for letter in letters), ".", "!"]
    numbers = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", numbers["[CLS]"]), ("[SEP]", numbers["[SEP]"])],
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def config(kind: str, *, layers: int = 2, positions: int = 40, **options: Any) -> Any:
    """Say what a small model of a kind is made of."""
    words = len(word_piece_tokenizer())
    classes = {
        "bert": transformers.BertConfig,
        "distilbert": transformers.DistilBertConfig,
        "roberta": transformers.RobertaConfig,
        "electra": transformers.ElectraConfig,
    }
    sizes = _SIZES[kind] | {_LAYERS.get(kind, "num_hidden_layers"): layers}
    return classes[kind](
        vocab_size=words,
        max_position_embeddings=positions,
        pad_token_id=0,
        initializer_range=0.6,
        **sizes,
        **options,
    )


def write_folder(folder: Path, kind: str = "bert", labels: Sequence[str] = (), **options: Any) -> Path:
    """Write a model with random weights, and with a head where there are labels."""
    import torch

    said: dict[str, Any] = {}
    if labels:
        said["id2label"] = dict(enumerate(labels))
        said["label2id"] = {label: number for number, label in enumerate(labels)}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        auto = transformers.AutoModelForSequenceClassification if labels else transformers.AutoModel
        model = auto.from_config(config(kind, **options, **said))
    model.save_pretrained(folder)
    word_piece_tokenizer().save_pretrained(folder)
    return folder


def byte_pair_tokenizer() -> Any:
    """Cut words into single bytes, with a mark for the space before; two markers between two texts."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = ["<pad>", "<s>", "</s>", "<unk>", "<mask>", *letters]
    numbers = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(numbers, [], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", numbers["</s>"]), ("<s>", numbers["<s>"]), add_prefix_space=True
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        mask_token="<mask>",
    )
