"""Compare the result of a client with the oracle: they are the same, or the client raises, is silent or hangs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["agrees", "judge_outcome"]

Answer = dict[str, Any]
Outcome = dict[str, str]

_MAX_LENGTH = 120
_TITLES = {
    "text": "text",
    "calls": "call",
    "role": "role",
    "finish_reason": "finish reason",
    "usage": "usage",
    "reasoning": "reasoning",
    "refusal": "refusal",
}
"""The properties of an answer, in the order in which they are reported, each with its title in a report."""
_MAY_BE_NULL = frozenset(_TITLES) - {"calls"}


def agrees(result: Mapping[str, Any] | None, oracle: Answer) -> bool:
    """Return whether the result of a client for a conforming answer equals the oracle in each property that it has."""
    if result is None:
        return False
    if "error" in oracle:
        return "raised" in result and str(oracle["error"]) in result["raised"]["message"]
    return "ok" in result and not _differences(result["ok"], oracle, {})


def judge_outcome(result: Mapping[str, Any] | None, oracle: Answer, sent: Answer) -> Outcome | None:
    """Return the outcome of a case; ``None`` if the result equals the oracle.

    ``result`` is what the adapter returned, or ``None`` if the client did not return. ``sent`` is the content of the
    case itself: a value that the client passes on unchanged is no difference. For the twin of the case, the client has
    given what the oracle says.
    """
    if result is None:
        return {"outcome": "hangs", "seen": "does not return"}
    if "error" in oracle:
        return _judge_error(result, oracle)
    if "raised" in result:
        return {"outcome": "raises", "seen": _describe_exception(result["raised"])}
    differences = _differences(result["ok"], oracle, sent)
    if not differences:
        return None
    titles = ", ".join(dict.fromkeys(title for title, _ in differences))
    return {"outcome": "silent", "seen": _shorten(f"{titles}: {'; '.join(detail for _, detail in differences)}")}


def _judge_error(result: Mapping[str, Any], oracle: Answer) -> Outcome | None:
    if "raised" not in result:
        return {
            "outcome": "silent",
            "seen": _shorten(f"text: {_format_value(result['ok'].get('text'))} instead of the error"),
        }
    if str(oracle["error"]) not in result["raised"]["message"]:
        return {
            "outcome": "raises",
            "seen": _shorten(f"{_describe_exception(result['raised'])} without the server's message"),
        }
    return None


def _differences(answer: Answer, oracle: Answer, sent: Answer) -> list[tuple[str, str]]:
    """Return title and details of each property that differs from the oracle, and was not passed on as it was sent."""
    if oracle.get("choices") and answer.get("choices"):
        return _differences_of_choices(answer["choices"], oracle["choices"], sent.get("choices") or [])
    differences = []
    for name, title in _TITLES.items():
        if name not in answer or name not in oracle:
            continue
        actual, expected = _normalise(name, answer[name]), _normalise(name, oracle[name])
        if actual == expected or (name == "usage" and expected is None):  # some clients count tokens themselves
            continue
        if name == "reasoning" and expected is None:  # reasoning that the reference does not have is no loss
            continue
        sent_value = _normalise(name, sent.get(name))
        if name in sent and _is_passed_on(name, actual, sent_value):
            continue
        if name == "text" and sent_value != expected and _is_part_of_sent_text(actual, sent_value):
            continue
        expected = sent_value if name == "text" and isinstance(sent_value, str) else expected
        differences.append(
            _describe_calls(actual, expected)
            if name == "calls"
            else (title, f"{_format_value(actual)} instead of {_format_value(expected)}")
        )
    return differences


def _differences_of_choices(
    choices: list[Answer], oracle_choices: list[Answer], sent_choices: list[Answer]
) -> list[tuple[str, str]]:
    if len(choices) != len(oracle_choices):
        return [("choices", f"{len(choices)} instead of {len(oracle_choices)}")]
    all_differences = []
    for index, (actual, expected) in enumerate(zip(choices, oracle_choices, strict=True)):
        differences = _differences(actual, expected, sent_choices[index] if index < len(sent_choices) else {})
        all_differences += [(title, f"{detail} (choice {index})") for title, detail in differences]
    return all_differences


def _is_passed_on(name: str, value: Any, sent_value: Any) -> bool:
    """Return whether a client gives a property as it was sent, and with the type that its documentation promises."""
    if value != sent_value:
        return False
    if name == "usage":
        return value is None or all(type(count) is int for count in value.values())
    if name == "calls":
        return all(isinstance(part, str) for call in value for part in (call["name"], call["arguments"]))
    return isinstance(value, str) or value is None


def _is_part_of_sent_text(value: Any, sent_value: Any) -> bool:
    """Return whether a text is part of the text that was sent: some clients remove markup or reasoning."""
    return isinstance(value, str) and isinstance(sent_value, str) and value.strip() in sent_value


def _normalise(name: str, value: Any) -> Any:
    """Return the value of a property in the form in which it is compared.

    An empty text and usage of zeros become ``None``, and the arguments of calls become normalised JSON.
    """
    if name == "usage" and isinstance(value, dict) and not any(value.values()):
        return None
    if name == "calls":
        return [{"name": call["name"], "arguments": _normalise_arguments(call["arguments"])} for call in value or ()]
    return None if value == "" and name in _MAY_BE_NULL else value


def _normalise_arguments(text: Any) -> Any:
    """Return the text of arguments as normalised JSON: sorted, with standard spacing, and empty text as ``{}``."""
    if not isinstance(text, str):
        return text
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return text
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _describe_calls(actual: list[Any], expected: list[Any]) -> tuple[str, str]:
    if len(actual) != len(expected):
        names = ", ".join(_format_value(call["name"]) for call in actual)
        return "call", f"{len(actual)} instead of {len(expected)}" + (f" ({names})" if names else "")
    for call, expected_call in zip(actual, expected, strict=True):
        if call["name"] != expected_call["name"]:
            return "call", f"{_format_value(call['name'])} instead of {_format_value(expected_call['name'])}"
    index = next(index for index, call in enumerate(actual) if call != expected[index])
    return (
        "arguments",
        f"{_format_value(actual[index]['arguments'])} instead of {_format_value(expected[index]['arguments'])}",
    )


def _format_value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, dict):
        return "/".join("none" if item is None else _format_value(item) for item in value.values())
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…" + text[-1]


def _describe_exception(raised: Mapping[str, str]) -> str:
    lines = [line.strip() for line in raised["message"].splitlines() if re.sub(r"<[^>]*>", "", line).strip()]
    if len(lines) > 1 and lines[0].endswith(":"):
        lines[0] += " " + lines[1]
    return _shorten(f"{raised['class']}: {lines[0]}" if lines else raised["class"])


def _shorten(text: str) -> str:
    """Return a short text without what changes from run to run (URLs, memory addresses, ids) and modules of classes."""
    text = re.sub(r"http://127\.0\.0\.1:\d+/[\w.~-]+", "<server>", text)
    text = re.sub(r"<class '[\w.]*?(\w+)'>", r"\1", text)
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x…", text)
    text = re.sub(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "…", text)
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 1] + "…"
