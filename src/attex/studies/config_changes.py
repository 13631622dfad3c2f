"""Which settings of several experiments are not the same."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

ABSENT = "–"
"""What stands for a setting that an experiment does not have."""

_THERE = "yes"
_NO_SETTING = ("name",)


def changed_settings(configs: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return every key whose value differs, with the value in each of the resolved experiments.

    Keys are dotted. A component in a list goes by its type, as `analyses.truth`: where one experiment
    does not have it at all, its options are not listed one by one.
    """
    flat = [dict(_settings("", config)) for config in configs]
    keys = dict.fromkeys(key for settings in flat for key in settings)
    rows = {key: [settings.get(key, ABSENT) for settings in flat] for key in keys}
    changed = {key: values for key, values in rows.items() if len(set(values)) > 1}
    partial = [f"{key}." for key, values in changed.items() if set(values) == {_THERE, ABSENT}]
    shown = [key for key in changed if key not in _NO_SETTING and not key.startswith(tuple(partial))]
    # What only one experiment has stands beside what it belongs to.
    parts = list(dict.fromkeys(key.partition(".")[0] for key in keys))
    shown.sort(key=lambda key: (parts.index(key.partition(".")[0]), key))
    return {key: changed[key] for key in shown}


def _settings(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _settings(f"{key}.{name}" if key else name, inner)
    elif isinstance(value, list) and value and all(_is_component(item) for item in value):
        seen: dict[str, int] = {}
        for item in value:
            name = item["type"]
            seen[name] = seen.get(name, 0) + 1
            place = f"{key}.{name}" if seen[name] == 1 else f"{key}.{name} ({seen[name]})"
            yield place, _THERE
            for option, inner in item.items():
                if option != "type":
                    yield from _settings(f"{place}.{option}", inner)
    elif value is None:
        yield key, "none"
    else:
        yield key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_component(item: Any) -> bool:
    return isinstance(item, Mapping) and "type" in item
