"""Keys about what is compared: measures of importance and correlations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from attex.config.published.draft import Draft, Key, look_up, told


@dataclass(frozen=True)
class Counterpart:
    """What a measure or a correlation of theirs is here.

    `options` names ours for each of theirs. `each` is an option of theirs that holds a list: there is
    one of ours for each value, under our option's name. `remark` says what is not quite the same.
    """

    ours: Mapping[str, Any]
    options: Mapping[str, str] = field(default_factory=dict)
    each: tuple[str, str] | None = None
    remark: str = ""


MEASURES = {
    "leave-one-out": Counterpart(
        {"type": "leave_one_out"},
        remark="attex deletes the word, court-of-xai puts the unknown word in its place",
    ),
    "simple-gradient": Counterpart({"type": "gradient", "detach_attention": False}),
    "captum-integrated-gradients": Counterpart({"type": "integrated_gradients"}),
    "captum-deeplift": Counterpart(
        {"type": "deep_lift", "slopes": "own"},
        remark="plain gradients throughout, as Captum's are through gates and attention",
    ),
    "captum-gradientshap": Counterpart({"type": "gradient_shap", "samples": 5}),
    "captum-deepliftshap": Counterpart(
        {"type": "deep_lift_shap", "background": "padding", "slopes": "own"}
    ),
}
"""Ours for each of their measures, by type; those of Captum by the name of the method."""

_BUCKETS = {"type": "top_k_buckets"}
CORRELATIONS = {
    "kendall_tau": Counterpart({"type": "kendall_tau"}),
    "spearman_rho": Counterpart({"type": "spearman"}),
    "pearson_r": Counterpart({"type": "pearson"}),
    "kendall_top_k_average_length": Counterpart(_BUCKETS | {"k": "average_length"}),
    "kendall_top_k_non_zero": Counterpart(
        _BUCKETS | {"k": "non_zero"},
        remark="pairs without attention have each text's k, not the mean of all texts",
    ),
    "kendall_top_k_fixed": Counterpart(_BUCKETS, each=("fixed_top_k", "k")),
    "kendall_top_k_variable": Counterpart(
        _BUCKETS, each=("percent_top_k", "k.fraction"), remark="attex rounds the k up, they down"
    ),
    "kendall_tau_ap_b": Counterpart({"type": "tau_ap", "symmetric": True}),
}
WEIGHTED = "weighted_kendall_tau"

PUBLISHED_IMPORTANCE = (
    {"type": "attention"},
    {"type": "gradient", "detach_attention": False, "target": "gold_loss"},
    {"type": "leave_one_out"},
)
PUBLISHED_STATISTICS = (
    {"type": "kendall_tau"},
    *(
        {"type": statistic, "k": k}
        for statistic in ("top_k_published", "top_k")
        for k in ("average_length", "non_zero")
    ),
)
"""What Neely & Schouten's (2020) program compares whatever the file says, and the top-k mended."""

PUBLISHED_EFFORT: dict[str, dict[str, Any]] = {"sst": {"controls": "always"}, "imdb": {"draws": 99}}
"""As in attex's own files of these settings: sentences can afford more than reviews."""

OWN_IMPORTANCE = ("gradient", "leave_one_out")


def _measure(draft: Draft, path: str, value: Any) -> None:
    item = _as_object(value)
    if item.get("type") == "captum":
        item = {k: v for k, v in item.items() if k not in ("type", "captum")} | _as_object(
            item.get("captum")
        )
    draft.said.setdefault("measures", []).extend(_ours(draft, path, value, item, MEASURES, "measure"))


def _correlation(draft: Draft, path: str, value: Any) -> None:
    item = _as_object(value)
    statistics = draft.said.setdefault("statistics", [])
    if item.get("type") != WEIGHTED:
        statistics.extend(_ours(draft, path, value, item, CORRELATIONS, "statistic"))
        return
    alphas = _as_list(item.pop("alphas", []))
    if not alphas:
        draft.note(path, value, "it has no alphas; left out")
    for alpha in alphas:
        if alpha == 1:
            statistics.append({"type": "weighted_tau"})
        else:
            draft.note(f"{path}.alphas", alpha, "attex's weights are those of alpha = 1; left out")
    _name_rest(draft, path, item)


def _ours(
    draft: Draft,
    path: str,
    value: Any,
    item: dict[str, Any],
    table: Mapping[str, Counterpart],
    kind: str,
) -> list[dict[str, Any]]:
    counterpart = look_up(table, item.get("type"))
    if counterpart is None:
        draft.note(path, value, f"attex has no such {kind}; left out")
        return []
    if counterpart.remark:
        draft.note(path, value, counterpart.remark)
    ours = dict(counterpart.ours)
    for theirs, name in counterpart.options.items():
        if theirs in item:
            ours[name] = item.pop(theirs)
    every = [ours]
    if counterpart.each is not None:
        theirs, name = counterpart.each
        every = [ours | _nested(name, each) for each in _as_list(item.pop(theirs, []))]
        if not every:
            draft.note(path, value, f"it has no {theirs}; left out")
    _name_rest(draft, path, item)
    return every


def _nested(name: str, value: Any) -> dict[str, Any]:
    outer, _, inner = name.partition(".")
    return {outer: {inner: value} if inner else value}


def _name_rest(draft: Draft, path: str, item: dict[str, Any]) -> None:
    for name, value in item.items():
        if name != "type":
            draft.note(f"{path}.{name}", value, "attex has no counterpart")


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _as_object(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {"type": value}


def _attention_method(draft: Draft, path: str, value: Any) -> None:
    if value != "attn_weights":
        draft.note(path, value, "attex compares the attention weights; left out")


_LABEL = "a label in their tables; attex's say what the experiment is"

COMPARISON_KEYS = (
    Key("attention_experiment.feature_importance_measures.*", "`importance`, see below", _measure),
    Key(
        "attention_experiment.correlation_measures.*",
        "`statistics` of the analysis `agreement`, see below",
        _correlation,
    ),
    Key(
        "attention_experiment.attention_analysis_methods.*",
        "`attention` for `attn_weights`; else named",
        _attention_method,
    ),
    told(
        "attention_experiment.attention_aggregator_methods",
        "for attention in several layers; here there is one",
    ),
    told("attention_experiment.nr_instances", "attex scores every test text"),
    told("attention_experiment.batch_size", "attex batches as it can: no score depends on it"),
    told("attention_experiment.cuda_device", "attex run --device chooses the machine"),
    told("attention_experiment.dataset|model|compatibility_function|activation_function", _LABEL),
)


def finish_comparison(draft: Draft) -> None:
    """Compose measures and analysis of what the file asks for, or of what the published program does."""
    if "attention_experiment" not in draft.file:
        effort = PUBLISHED_EFFORT.get(draft.fields.get("data", {}).get("type", ""), {})
        statistics = [dict(statistic) for statistic in PUBLISHED_STATISTICS]
        analysis: dict[str, Any] = {"type": "agreement", "statistics": statistics, "drop_ends": True}
        draft.fields["importance"] = [dict(measure) for measure in PUBLISHED_IMPORTANCE]
        draft.fields["analyses"] = [analysis | effort]
        why = "compared as Neely & Schouten's program of 2020 does, and with the top-k mended"
        draft.absent("attention_experiment", why)
        return
    measures = _once(draft.said.get("measures", []))
    if not measures:
        measures = [{"type": name} for name in OWN_IMPORTANCE]
        why = f"none is left to compare attention with: {' and '.join(OWN_IMPORTANCE)} are taken"
        draft.notes.append(f"attention_experiment.feature_importance_measures: {why}")
    statistics = _once(draft.said.get("statistics", []))
    if not statistics:
        statistics = [{"type": "kendall_tau"}]
        draft.notes.append(
            "attention_experiment.correlation_measures: none is left: kendall_tau is taken"
        )
    draft.fields["importance"] = [{"type": "attention"}, *measures]
    draft.fields["analyses"] = [{"type": "agreement", "statistics": statistics}]


def _once(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [item for place, item in enumerate(items) if item not in items[:place]]
