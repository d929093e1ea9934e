"""Draft a dialect from captures: each deviation that was found, how often, with which values, and where first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from msgspec.structs import replace

from isogloss.validator.dialects.explanations import ABSENCES, about_schema
from isogloss.validator.dialects.payloads import holder_of, is_redacted, payloads_of, values_at
from isogloss.validator.examining.contents import Contents
from isogloss.validator.examining.examined import Examined, RuleHit
from isogloss.validator.examining.placing import payload_of_hit, value_at
from isogloss.validator.examining.subjects import needed_subjects, subjects
from isogloss.validator.pointer import ABSENT, generic, steps_of
from isogloss.validator.quoting import json_type
from isogloss.validator.rules import group_of, rule

__all__ = ["Inferred", "infer"]

_FINGERPRINT_PATHS = (
    ("completion", "id"),
    ("chunk", "id"),
    ("completion", "system_fingerprint"),
    ("chunk", "system_fingerprint"),
    ("completion", "choices[].message.tool_calls[].id"),
    ("chunk", "choices[].delta.tool_calls[].id"),
)
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_PREFIXES = ("chatcmpl-", "gen-", "chat-", "msg-")
_ENUMERATED = "unknown-value"
"""The rule about values of enumerations. A rule that replaces it is about such a value, too."""
_MOST_ENUMERATED = 12
_MOST_FORMS = 3
_FEW_VALUES = 5
"""Of so many values or more, a form that only one of them has is no form of the dialect."""
_MOST_VALUES = 2000
_PATH = re.compile(r"[A-Za-z0-9_$@-]+(\[\])*(\.[A-Za-z0-9_$@-]+(\[\])*)*\Z")


@dataclass(slots=True)
class _Tally:
    """How many exchanges showed something, the values there, and where the first of them is."""

    shown: int = 0
    values: list[object] = field(default_factory=list)
    example: str = ""


@dataclass(slots=True)
class Inferred:
    """Facts in the form of a dialect file, but without sources, and where each deviation was seen first."""

    fingerprints: list[dict[str, Any]] = field(default_factory=list)
    deviations: list[dict[str, Any]] = field(default_factory=list)
    behaviours: list[dict[str, Any]] = field(default_factory=list)
    examples: dict[str, str] = field(default_factory=dict)


def infer(all_examined: Iterable[Examined]) -> Inferred:
    """Draft the facts of a dialect from examined exchanges that all speak it."""
    tallies: dict[tuple[str, str, str, str], _Tally] = {}
    holders: dict[tuple[str, str], int] = {}
    fingerprint_values: dict[tuple[str, str], list[str]] = {}
    contents: Counter[Contents] = Counter()
    for examined in all_examined:
        payloads = list(payloads_of(examined.exchange))
        contents[examined.contents] += 1
        seen: set[tuple[str, str, str, str]] = set()
        for found in examined.hits:
            key = _key(examined, found)
            if key is None:
                continue
            tally = tallies.setdefault(key, _Tally())
            if key not in seen:
                seen.add(key)
                tally.shown += 1
                where = f", at {key[3]}" if key[3] else ""
                exchange = examined.exchange
                tally.example = tally.example or f"{exchange.file}, exchange {exchange.number}{where}"
            tally.values += _values(examined, found, _MOST_VALUES - len(tally.values))
        for holder in {(kind, path) for kind, payload in payloads for path in _object_paths(payload)}:
            holders[holder] = holders.get(holder, 0) + 1
        for kind, at in _FINGERPRINT_PATHS:
            values = [
                value
                for value in values_at(payloads, frozenset([kind]), steps_of(at) or ())
                if isinstance(value, str) and not is_redacted(value)
            ]
            if values:
                fingerprint_values.setdefault((kind, at), []).append(values[0])
    return _draft(tallies, holders, fingerprint_values, contents)


def _values(examined: Examined, found: RuleHit, most: int) -> Iterator[object]:
    """Yield the value that a finding points to, in each of its events, for at most ``most`` events."""
    for event in islice(found.events or (found.hit.event,), most):
        hit = replace(found.hit, event=event)
        yield value_at(payload_of_hit(examined.exchange, found.part, hit, examined.folded)[1], hit)


def _key(examined: Examined, found: RuleHit) -> tuple[str, str, str, str] | None:
    group = group_of(found.rule)
    kind, _ = payload_of_hit(examined.exchange, found.part, found.hit, examined.folded)
    path = generic(found.hit.pointer)
    if group == "json":
        return None
    if about_schema(found.rule) and kind in ("request", "completion", "chunk", "error"):
        return ("deviation", found.rule, kind, path) if _PATH.match(path) else None
    return None if group == "request" else ("behaviour", found.rule, "", "")


def _object_paths(payload: object) -> Iterator[str]:
    """Yield the path of each object in a payload; of an array, only the first 20 items are read."""
    pending = [(payload, "")]
    while pending:
        value, at = pending.pop()
        if isinstance(value, dict):
            yield at
            pending += [(part, f"{at}.{name}" if at else name) for name, part in value.items()]
        elif isinstance(value, list):
            pending += [(item, f"{at}[]") for item in value[:20]]


def _draft(
    tallies: dict[tuple[str, str, str, str], _Tally],
    holders: dict[tuple[str, str], int],
    fingerprint_values: dict[tuple[str, str], list[str]],
    contents: Mapping[Contents, int],
) -> Inferred:
    inferred = Inferred()
    merged: dict[tuple[str, str, bool], dict[str, Any]] = {}
    for (fact_type, name, kind, path), tally in sorted(tallies.items()):
        if fact_type == "behaviour":
            possible = sum(count for one, count in contents.items() if needed_subjects(name) <= subjects(one))
            could_show = max(tally.shown, possible)
            inferred.behaviours.append({"rule": name, "seen": [tally.shown, could_show]})
            inferred.examples[name] = tally.example
            continue
        could_show = max(tally.shown, holders.get((kind, holder_of(path)), 0))
        absent = name in ABSENCES or all(value is ABSENT for value in tally.values)
        what: dict[str, Any] = {"absent": True} if absent else {"schema": _schema(name, tally.values)}
        known = merged.get((kind, path, absent))
        if known is None:
            merged[kind, path, absent] = {"in": [kind], "at": path, **what, "seen": [tally.shown, could_show]}
            inferred.examples[f"{kind} {path}"] = tally.example
        else:  # several rules have findings at this path: join their values
            known["seen"] = [min(could_show, known["seen"][0] + tally.shown), could_show]
            if not absent:
                known["schema"] = _either(known["schema"], what["schema"])
    inferred.deviations.extend(merged.values())
    for (kind, at), values in fingerprint_values.items():
        for pattern, count in Counter(map(_pattern_of, values)).most_common(_MOST_FORMS):
            if count > 1 or len(values) < _FEW_VALUES:
                schema = {"type": "string", "pattern": pattern}
                inferred.fingerprints.append({"in": [kind], "at": at, "schema": schema, "seen": [count, len(values)]})
    return inferred


def _schema(name: str, values: list[object]) -> dict[str, Any]:
    """Return a schema for what the values at a path have in common.

    It has the values themselves if they are a few of an enumeration, and patterns if they are strings of a few forms
    where the format is wrong. Otherwise it has their types.
    """
    strings = sorted({value for value in values if isinstance(value, str)})
    if strings and all(isinstance(value, str) for value in values):
        if _ENUMERATED in (name, *rule(name).replaces) and len(strings) <= _MOST_ENUMERATED:
            return {"enum": strings}
        if name == "wrong-format" and not any(map(is_redacted, strings)):
            patterns = sorted(set(map(_pattern_of, strings)))
            if len(patterns) <= _MOST_FORMS:
                return {"type": "string", "pattern": "|".join(patterns)}
    types = sorted({json_type(value) for value in values})
    if "integer" in types and "number" in types:
        types.remove("integer")
    return {"type": types[0] if len(types) == 1 else types}


def _either(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return one if one == other else {"anyOf": [*one.get("anyOf", [one]), other]}


def _pattern_of(value: str) -> str:
    """Return a regular expression for strings like this one: known forms of ids, else runs of letters and digits."""
    if uuid := re.fullmatch(f"(chatcmpl-)?{_UUID}", value):
        return f"^{uuid[1] or ''}{_UUID}$"
    prefix, _, rest = value.rpartition("-")
    if value.startswith(_PREFIXES) and value.count("-") <= 2 and not re.search("[0-9]", prefix):
        return f"^{_escaped(prefix)}-{_class_pattern(rest)}$"
    return f"^{_class_pattern(value)}$"


def _escaped(text: str) -> str:
    """Escape the characters that are syntax, and no others: regular expressions of JavaScript refuse ``\\-``."""
    return re.sub(r"[\^$\\.*+?()\[\]{}|]", r"\\\g<0>", text)


def _class_pattern(text: str) -> str:
    """Write each run of letters and digits as its class and length, and a short word at the beginning as it is.

    For a run of fewer than ten digits, any length will do. Digits are ``[0-9]``: in Python, ``\\d`` accepts those of
    other scripts, too, and in JavaScript it does not.
    """
    if re.fullmatch(r"[0-9a-f]{12,}", text) and re.search("[0-9]", text) and re.search(r"[a-f]", text):
        return f"[0-9a-f]{{{len(text)}}}"
    pattern = ""
    for run in re.findall(r"[A-Za-z0-9]+|[^A-Za-z0-9]+", text):
        if not run[0].isascii() or not run[0].isalnum():
            pattern += _escaped(run)
        elif run.isalpha() and len(run) <= 8 and run == text[: len(run)]:
            pattern += run
        elif run.isdigit():
            pattern += "[0-9]+" if len(run) < 10 else f"[0-9]{{{len(run)}}}"
        elif re.fullmatch(r"[0-9a-f]+", run):
            pattern += f"[0-9a-f]{{{len(run)}}}"
        else:
            pattern += f"[A-Za-z0-9]{{{len(run)}}}"
    return pattern
