"""The pages of the reference: one for each kind of component, generated from the registries."""

import inspect
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attex.config.registries import REGISTRIES
from attex.foundations.registry import Entry, Registry, Spec
from attex.runner.engine import ENGINES
from attex.studies.conclusion import CONCLUSIONS
from attex.studies.study import STUDIES

KINDS: dict[str, Registry[Any]] = REGISTRIES | {
    kind.kind: kind for kind in (ENGINES, STUDIES, CONCLUSIONS)
}


@dataclass(frozen=True)
class Kind:
    """What the reference says of a kind of component."""

    title: str
    about: str
    place: tuple[str, ...] = ()
    """The keys of an experiment file, or of a study, that lead to such a component."""

    several: bool = False
    """Whether an array stands there."""


ABOUT = {
    "dataset": Kind("Datasets", "Where texts and labels come from: the key `data`.", ("data",)),
    "model": Kind("Models", "The kind of model: the key `model`.", ("model",)),
    "encoder": Kind(
        "Encoders", "From the vectors of words to hidden states: `model.encoder`.", ("model", "encoder")
    ),
    "attention": Kind(
        "Attentions",
        "From hidden states to one energy a word: `model.attention`.",
        ("model", "attention"),
    ),
    "projection": Kind(
        "Projections",
        "From the energies of a text to its attention weights: `model.attention.projection`.",
        ("model", "attention", "projection"),
    ),
    "decoder": Kind(
        "Decoders", "From the attended mean to the output: `model.decoder`.", ("model", "decoder")
    ),
    "trainer": Kind("Trainers", "How a model is fitted to its texts: the key `trainer`.", ("trainer",)),
    "measure": Kind(
        "Measures", "How much does each word matter? The array `importance`.", ("importance",), True
    ),
    "statistic": Kind(
        "Statistics",
        "How alike do two measures score a text? The array `statistics` of an analysis.",
        ("analyses", "agreement", "statistics"),
        True,
    ),
    "analysis": Kind(
        "Analyses", "What is asked of the trained models: the array `analyses`.", ("analyses",), True
    ),
    "engine": Kind("Engines", "Who computes the stages of an experiment: `attex run --engine`."),
    "study": Kind(
        "Studies",
        "What is made of the models of a [study file](../studies.md): its key `study`, beside which the"
        " options stand.",
        ("study",),
    ),
    "conclusion": Kind(
        "Conclusions",
        "What is asked of all models of a study, as the sign of a difference: its array `asks`.",
        ("asks",),
        True,
    ),
}

GIVEN = {
    "csv": {"path": "reviews.csv"},
    "jsonl": {"path": "reviews.jsonl"},
    "pretrained": {"path": "path/to/my-bert"},
    "pretrained_classifier": {"path": "path/to/my-bert"},
    "adversarial": {"base": {"trainer": "supervised"}},
    "guided": {"guide": {"trainer": "supervised"}},
    "jaccard_at_k": {"k": 3},
    "top_k": {"k": 3},
    "top_k_buckets": {"k": "non_zero"},
    "top_k_published": {"k": "non_zero"},
}
"""A value for each option that has no default, for the examples."""

ASKED = {"query": {}, "pair": {"shared": True}}
"""The query of a model with such a decoder."""

MEASURES_WANTED = {"contextualisation": ["attention", "gradient_norm", "gradient_norm[hidden]"]}
"""What stands under `importance` where the measures of the default will not do."""


def pages() -> dict[str, str]:
    """Return the text of every page of the reference by the name of its file."""
    return {"index.md": _contents()} | {f"{kind}.md": _page(kind) for kind in KINDS}


def example(kind: str, name: str) -> dict[str, Any]:
    """Return an experiment, or a study, that names a component; what it does not say has defaults."""
    if kind == "study":
        return {"study": name, "base": "demo", "choices": {"trainer.learning_rate": [0.001, 0.003]}}
    options = _telling(kind, name)
    value: Any = {"type": name} | options if options else name
    *parents, last = ABOUT[kind].place
    if kind == "decoder" and name in ASKED:
        texts = {"type": "planted", "task": "question"}
        return {"data": texts, "model": {"decoder": name, "query": ASKED[name]}}
    if kind == "statistic":
        return {"analyses": [{"type": "agreement", "statistics": [value]}]}
    if kind == "measure":
        facts = KINDS[kind][name].facts
        stacked = (
            {"model": {"encoder": "transformer"}} if facts["needs"] and not facts["needs_if"] else {}
        )
        beside = "leave_one_out" if name == "attention" else "attention"
        return stacked | {"importance": [value, beside]}
    wanted = {"importance": MEASURES_WANTED[name]} if name in MEASURES_WANTED else {}
    fields = {last: [value] if ABOUT[kind].several else value}
    for key in reversed(parents):
        fields = {key: fields}
    return wanted | fields


def _telling(kind: str, name: str) -> dict[str, Any]:
    """Choose the options that an example shows: the required ones, or else the first of its own."""
    fields = KINDS[kind][name].options.model_fields
    required = {option: GIVEN[name][option] for option in fields if fields[option].is_required()}
    # What every dataset has says nothing of this one.
    common = set.intersection(*(set(entry.options.model_fields) for entry in KINDS[kind]))
    own = [option for option in fields if option not in common or kind not in ("dataset", "engine")]
    plain = [option for option in own if isinstance(fields[option].default, str | int | float)]
    first = {option: fields[option].default for option in plain if option != "type"}
    return required or dict(list(first.items())[:1])


def jsonnet(value: Any) -> str:
    """Write a value as people write it in an experiment file."""
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        keys = {key: key if key.isidentifier() else f"'{key}'" for key in value}
        return f"{{ {', '.join(f'{keys[key]}: {jsonnet(item)}' for key, item in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(jsonnet, value))}]"
    return f"'{value}'" if isinstance(value, str) else json.dumps(value)


def _contents() -> str:
    lines = [
        "# Every name an experiment can use",
        "",
        "Generated from the code by `make reference`: each name with its formula, its options and",
        "their defaults, whose idea it is, and how it is written in an experiment. `attex list` prints",
        "the same in short.",
        "",
        "| kind | names |",
        "|---|---|",
    ]
    for kind, registry in KINDS.items():
        names = ", ".join(f"[`{entry.name}`]({kind}.md#{_anchor(entry.name)})" for entry in registry)
        lines.append(f"| [{ABOUT[kind].title}]({kind}.md) | {names} |")
    return "\n".join(lines) + "\n"


def _page(kind: str) -> str:
    lines = [f"# {ABOUT[kind].title}", "", ABOUT[kind].about]
    if KINDS[kind].default is not None:
        lines[-1] += f" Without a `type` it is `{KINDS[kind].default}`."
    for entry in KINDS[kind]:
        lines += ["", *_entry(kind, entry)]
    return "\n".join(lines).rstrip() + "\n"


def _entry(kind: str, entry: Entry[Any]) -> list[str]:
    lines = [f"## `{entry.name}`", "", _markdown(inspect.getdoc(entry.target) or ""), ""]
    if entry.aliases:
        lines += [f"Also written {', '.join(f'`{alias}`' for alias in entry.aliases)}.", ""]
    if entry.cite:
        lines += [f"Source: {entry.cite}.", ""]
    if entry.facts.get("needs"):
        only = f"With {' or '.join(f'`{o}`' for o in entry.facts['needs_if'])} n"
        lines += [f"{only if entry.facts['needs_if'] else 'N'}eeds layers of self-attention.", ""]
    where = {"engine": "On the command line:", "study": "A whole study:", "conclusion": "In a study:"}
    lines += [where.get(kind, "In an experiment:"), "", _shown(kind, entry)]
    options = {name: f for name, f in entry.options.model_fields.items() if name != "type"}
    if options:
        whole = entry.options.model_json_schema()
        schema = _spelled_out(whole["properties"], whole.get("$defs", {}))
        lines += ["", "| option | default | takes |", "|---|---|---|"]
        for name, field in options.items():
            default = "required" if field.is_required() else f"`{_default(field.default)}`"
            lines.append(f"| `{name}` | {default} | {takes(schema[name])} |")
    return lines


def _shown(kind: str, entry: Entry[Any]) -> str:
    if kind == "engine":
        command = f"attex run experiment.jsonnet --engine {entry.name}"
        return f"```sh no-run: there is more on the page about running\n{command}\n```"
    # A study has more than its questions: this alone is no file.
    not_run = " no-run: a part of a study" if kind == "conclusion" else ""
    return f"```jsonnet{not_run}\n{jsonnet(example(kind, entry.name))}\n```"


def _spelled_out(schema: Any, named: Mapping[str, Any]) -> Any:
    """Put what a schema refers to by name in the place of the name."""
    if isinstance(schema, Mapping) and "$ref" in schema:
        return _spelled_out(named[schema["$ref"].rpartition("/")[2]], named)
    if isinstance(schema, Mapping):
        return {key: _spelled_out(part, named) for key, part in schema.items()}
    return [_spelled_out(part, named) for part in schema] if isinstance(schema, list) else schema


def takes(schema: Mapping[str, Any]) -> str:
    """Say in words what an option can be, from its JSON Schema."""
    if "anyOf" in schema:
        parts = [part for part in schema["anyOf"] if part.get("type") != "null"]
        if kind := _kind_of(parts):
            return f"{_article(kind)} [{kind}]({kind}.md)"
        return " or ".join(dict.fromkeys(map(takes, parts)))
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    match schema.get("type"):
        case "boolean":
            return "`true`, `false`"
        case "integer" | "number":
            word = "a whole number" if schema["type"] == "integer" else "a number"
            return f"{word}{_bounds(schema)}"
        case "array":
            inside = schema["prefixItems"][0] if "prefixItems" in schema else schema["items"]
            many = f" of {schema['maxItems']}" if "prefixItems" in schema else ""
            return f"an array{many}, each {takes(inside)}"
        case "object" if schema.get("additionalProperties") is True:
            return "an experiment"
        case "object" if "properties" not in schema:
            return f"an object, each {takes(schema['additionalProperties'])}"
        case "object":
            inner = schema["properties"].items()
            return "; ".join(f"`{{ {name}: … }}` with {takes(part)}" for name, part in inner)
    return "text"


def _kind_of(parts: list[Mapping[str, Any]]) -> str | None:
    """Recognise the schema of a component: the names of one kind, or an object of each."""
    names = set(parts[0].get("enum", ()))
    return next(
        (kind for kind, registry in KINDS.items() if names and names >= {e.name for e in registry}), None
    )


def _bounds(schema: Mapping[str, Any]) -> str:
    """Say what a number is bounded by; limits that only keep a machine from harm are left out."""
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    shown = [f" {s} {schema[n]:g}" for n, s in signs.items() if n in schema and abs(schema[n]) < 10**6]
    return ",".join(shown)


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def _markdown(docstring: str) -> str:
    """Show the example that a docstring ends with, if any, as code."""
    text, _, code = docstring.partition("Example:\n")
    # A formula such as [a ; b](e) is no link.
    text = text.replace("](", "]\\(")
    if not code:
        return text
    words, prompt, code = textwrap.dedent(code).partition(">>>")
    return f"{text}{words}```python\n{prompt}{code}\n```"


def _default(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_default, value))}]"
    return value.title if isinstance(value, Spec) else json.dumps(value)


def _anchor(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum() or letter in "_-").lower()
