"""Keys about texts: readers, files, vocabulary."""

from typing import Any

from attex.config.published.draft import Draft, Handler, Key, as_it_is, option, required, told

READERS: dict[str, dict[str, Any]] = {
    "sst_tokens": {
        "type": "sst",
        "cleaning": "none",
        "min_tokens": 1,
        "drop_extremes": False,
        "markers": False,
    },
    "imdb_csv": {
        "type": "imdb",
        "min_tokens": 1,
        "max_tokens": None,
        "min_frequency": 1,
        "markers": False,
    },
}
"""Our dataset for each of their readers, as their readers cut it."""

_ABSENT = {
    "snli": "SNLI has two texts, and attex reads one",
    "mnli": "attex has no reader for MNLI, nor models of two texts",
    "quora_paraphrase": "attex has no reader for Quora, nor models of two texts",
}
_PIECES = "attex has no pretrained models, and so no word pieces"


def _reader(draft: Draft, path: str, value: Any) -> None:
    kind = str(value)
    if kind == "snli" and "multinli" in str(draft.file.get("train_data_path")).lower():
        # MNLI comes in the form of SNLI.
        kind = "mnli"
    if kind in READERS:
        draft.fields["data"] = dict(READERS[kind])
    else:
        missing = _ABSENT.get(kind, f"attex has readers for {', '.join(READERS)}")
        draft.refuse(path, value, missing)


def _max_length(draft: Draft, path: str, value: Any) -> None:
    # Theirs takes 0 for no bound.
    draft.set("data.max_tokens", value or None)


def _limit(draft: Draft, path: str, value: Any) -> None:
    draft.set("data.limit", value)
    draft.note(path, value, "attex takes as many from each split, evenly spaced (data.limit)")


def _granularity(draft: Draft, path: str, value: Any) -> None:
    draft.said["granularity"] = value


def _pieces(otherwise: str) -> Handler:
    def take(draft: Draft, path: str, value: Any) -> None:
        if "pretrained" in str(value):
            draft.problem(path, value, _PIECES)
        else:
            draft.note(path, value, otherwise)

    return take


def _validation_reader(draft: Draft, path: str, value: Any) -> None:
    if value != draft.file.get("dataset_reader"):
        draft.note(path, value, "attex reads all splits alike, as dataset_reader says")


def _data_path(draft: Draft, path: str, value: Any) -> None:
    ours = draft.fields["data"].get("type", "the dataset")
    draft.note(path, value, f"attex reads {ours} from its data folder (attex data)")


def _vocabulary_from(draft: Draft, path: str, value: Any) -> None:
    if value != ["train"]:
        draft.note(path, value, "attex takes words from the training texts only")


_CUT = "attex's reader cuts the texts into words itself"

DATA_KEYS = (
    Key("dataset_reader.type", "`data`, if it is one of the readers below; else refused", _reader),
    Key("dataset_reader.granularity", '`data`: `"2-class"`; else refused', _granularity),
    required("dataset_reader.use_subtrees", False, otherwise="attex reads whole sentences"),
    Key("dataset_reader.max_review_length", "`data.max_tokens`", _max_length),
    Key("dataset_reader.max_instances", "`data.limit`", _limit),
    Key(
        "dataset_reader.pretrained_tokenizer",
        f"refused: {_PIECES}",
        lambda draft, path, value: draft.problem(path, value, _PIECES),
    ),
    Key("dataset_reader.tokenizer.type", f"a pretrained one is refused; else: {_CUT}", _pieces(_CUT)),
    told("dataset_reader.tokenizer.*", _CUT),
    Key(
        "dataset_reader.token_indexers.*.type",
        "`single_id`; a pretrained one is refused",
        lambda draft, path, value: (
            None
            if value == "single_id"
            else _pieces("attex has one number for each word")(draft, path, value)
        ),
    ),
    as_it_is(
        "dataset_reader.token_indexers.*.lowercase_tokens",
        False,
        otherwise="attex leaves the case as this reader has it",
    ),
    told(
        "dataset_reader.lazy|cache_directory|manual_distributed_sharding",
        "attex keeps a corpus in its cache",
    ),
    Key("validation_dataset_reader", "as `dataset_reader`; else named", _validation_reader),
    Key(
        "train_data_path|validation_data_path|test_data_path",
        "attex reads the dataset from its data folder",
        _data_path,
    ),
    as_it_is("evaluate_on_test", True, otherwise="attex analyses the test texts whatever this says"),
    as_it_is(
        "vocabulary.type",
        "from_instances",
        "default",
        otherwise="attex takes words from the training texts",
    ),
    option("vocabulary.min_count.tokens", "data.min_frequency"),
    Key("datasets_for_vocab_creation", '`["train"]`; else named', _vocabulary_from),
)


def finish_data(draft: Draft) -> None:
    """Look at what was not written too."""
    if "type" not in draft.fields["data"]:
        draft.problem("dataset_reader.type", None, f"attex has readers for {', '.join(READERS)}")
    elif draft.fields["data"]["type"] == "sst":
        # AllenNLP's default.
        granularity = draft.said.get("granularity", "5-class")
        if granularity != "2-class":
            why = "attex's SST has two classes, '2-class'"
            draft.problem("dataset_reader.granularity", granularity, why)
