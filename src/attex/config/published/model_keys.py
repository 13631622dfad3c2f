"""Keys about the model: embedding, encoder, attention, decoder."""

from typing import Any

from attex.config.published.draft import Draft, Handler, Key, as_it_is, look_up, option, required, told

MODELS = {"jain_wallace_attention_binary_classifier": "attention"}
ENCODERS = {"lstm": "lstm", "gru": "gru"}
ATTENTIONS = {
    "additive_tanh": "tanh",
    "additive_basic": "tanh",
    "tanh": "tanh",
    "additive_sdp": "sdp",
    "scaled_multiplicative": "sdp",
    "sdp": "sdp",
    "dot": "sdp",
}
ACTIVATIONS = {
    "softmax": "softmax",
    "sparsemax": "sparsemax",
    "entmax15": "entmax15",
    "entmax-alpha": "learned_entmax",
    "uniform": "uniform",
}
FORGET_PADDING = ("additive_tanh", "additive_sdp")
"""Their attentions of 2020, whose softmax takes no notice of the mask."""

VECTORS = {300: "vectors/word2vec.300d.vec.gz"}
"""The file of pretrained vectors that attex's own files name, by its width."""

_ABSENT = {
    "pair_sequence_classifier": "attex has no models of two texts",
    "distilbert_sequence_classification_from_huggingface": "attex has no pretrained models",
}


def _model(draft: Draft, path: str, value: Any) -> None:
    ours = look_up(MODELS, value)
    if ours is not None:
        draft.set("model.type", ours)
    else:
        known = f"attex has a counterpart of {', '.join(MODELS)}"
        draft.refuse(path, value, _ABSENT.get(str(value), known))


def _chosen(target: str, table: dict[str, str], why: str) -> Handler:
    def take(draft: Draft, path: str, value: Any) -> None:
        ours = look_up(table, value)
        if ours is not None:
            draft.set(target, ours)
            draft.said[target] = value
        else:
            draft.problem(path, value, f"{why}: {', '.join(table)}")

    return take


def _said(name: str) -> Handler:
    def take(draft: Draft, path: str, value: Any) -> None:
        draft.said[name] = value

    return take


def _vectors(draft: Draft, path: str, value: Any) -> None:
    width = draft.fields["model"].get("embedding_width", 300)
    ours = VECTORS.get(width) if isinstance(width, int) else None
    draft.fields["vectors"] = ours
    instead = f"attex takes {ours} from its data folder" if ours else "attex starts from random vectors"
    draft.note(path, value, f"{instead}; -o vectors=FILE takes another")


def _alpha(draft: Draft, path: str, value: Any) -> None:
    draft.said["alpha"] = value
    if draft.said.get("projection") == "entmax-alpha":
        why = "their code learns it from there, and so does learned_entmax, between 1.01 and 4"
    else:
        why = f"{draft.said.get('projection')} has none"
    draft.note(path, value, why)


def _same_width(kind: str) -> Handler:
    """Accept the width that follows from what comes before in the model."""

    def take(draft: Draft, path: str, value: Any) -> None:
        model = draft.fields["model"]
        width, hidden = model.get("embedding_width", 300), model["encoder"].get("hidden", 128)
        # Whatever is no number is refused with the key that holds it.
        follows = width if kind == "embedding" else 2 * hidden if isinstance(hidden, int) else value
        if value != follows:
            draft.problem(path, value, f"the {kind} before it is {follows} wide")

    return take


_EMBEDDER = "model.word_embeddings|text_field_embedder|embedder"
_TOKENS = "tokens|words"


def _embedding_keys(root: str) -> tuple[Key, ...]:
    return (
        required(f"{root}.type", "embedding", otherwise="attex looks words up in a table (embedding)"),
        option(f"{root}.embedding_dim", "model.embedding_width"),
        Key(f"{root}.pretrained_file", "`vectors`: a file in attex's data folder", _vectors),
        as_it_is(f"{root}.trainable", True, otherwise="attex trains the word vectors too"),
    )


MODEL_KEYS = (
    Key("model.type", "`model`, if it is one of the models below; else refused", _model),
    as_it_is(f"{_EMBEDDER}.type", "basic", otherwise="attex has one table of words"),
    *_embedding_keys(f"{_EMBEDDER}.token_embedders.{_TOKENS}"),
    *_embedding_keys(f"{_EMBEDDER}.{_TOKENS}"),
    Key(
        "model.encoder.type",
        "`model.encoder`, if it is one of the encoders below; else refused",
        _chosen("model.encoder.type", ENCODERS, "attex has counterparts of these encoders"),
    ),
    option("model.encoder.hidden_size", "model.encoder.hidden"),
    Key("model.encoder.bidirectional", "`true`; else refused", _said("bidirectional")),
    Key("model.encoder.input_size", "the embedding's width; else refused", _same_width("embedding")),
    required("model.encoder.num_layers", 1, otherwise="attex's recurrent encoders have one layer"),
    required("model.encoder.bias", True, otherwise="attex's recurrent encoders have biases"),
    as_it_is("model.encoder.stateful", False, otherwise="attex begins each text anew"),
    told("model.encoder.dropout", "it works between layers, of which there is one"),
    Key(
        "model.attention.type",
        "`model.attention`, if it is one of the attentions below; else refused",
        _chosen("model.attention.type", ATTENTIONS, "attex has counterparts of these attentions"),
    ),
    Key("model.attention.hidden_size", "twice the encoder's; else refused", _same_width("encoder")),
    Key(
        "model.attention.activation_function|activation.type",
        "`model.attention.projection`, if it is one of those below; else refused",
        _chosen("projection", ACTIVATIONS, "attex has counterparts of these activations"),
    ),
    Key("model.attention.activation_function|activation.alpha", "`projection.start`", _alpha),
    Key("model.decoder.input_dim", "twice the encoder's; else refused", _same_width("encoder")),
    required("model.decoder.num_layers", 1, otherwise="attex decodes with one linear layer"),
    required("model.decoder.hidden_dims", 1, [1], otherwise="two classes are one output"),
    required("model.decoder.activations", "linear", ["linear"], otherwise="attex's decoder is linear"),
    as_it_is("model.decoder.dropout", 0, [0], otherwise="attex has no dropout"),
    as_it_is("model.dropout", 0, otherwise="attex has no dropout"),
    told(
        "model.initializer|regularizer", "attex begins as PyTorch does, and decays weights in Adam only"
    ),
)


def finish_model(draft: Draft) -> None:
    """Look at what was not written, and put the projection together."""
    if "model" in draft.refused:
        return
    _name_absent(draft)
    model, said = draft.fields["model"], draft.said
    projection = draft.fields.pop("projection", "softmax")
    if "alpha rate" in said and projection != "learned_entmax":
        draft.note("trainer.optimizer.parameter_groups", said["alpha rate"], "there is no α to learn")
    if projection == "softmax" and said.get("model.attention.type") in FORGET_PADDING:
        projection = "softmax_over_padding"
    elif projection == "learned_entmax":
        rate = said.get("alpha rate", draft.fields["trainer"]["learning_rate"])
        projection = {"type": projection, "start": said.get("alpha", 1.5), "learning_rate": rate}
    model["attention"] = {"type": "tanh", "projection": projection} | model["attention"]


def _name_absent(draft: Draft) -> None:
    """Refuse a model without what makes it one, and say what is taken for the rest."""
    model, said = draft.fields["model"], draft.said
    if "type" not in model:
        draft.problem("model.type", None, f"attex has a counterpart of {', '.join(MODELS)}")
    if "type" not in model["encoder"]:
        draft.problem("model.encoder.type", None, f"attex has counterparts of {', '.join(ENCODERS)}")
    elif said.get("bidirectional") is not True:
        why = "attex's recurrent encoders read both ways (AllenNLP's default is one)"
        draft.problem("model.encoder.bidirectional", said.get("bidirectional", False), why)
    if "hidden" not in model["encoder"]:
        draft.absent("model.encoder.hidden_size", "128 is taken")
    if "embedding_width" not in model:
        draft.absent("embedding_dim", "300 is taken")
    if "type" not in model["attention"]:
        draft.absent("model.attention.type", "tanh attention is taken")
    if "projection" not in said:
        draft.absent("model.attention.activation_function", "softmax is taken")
