"""Quote what a payload holds in findings: structure and short enumeration values, but no content and no secrets.

Everything that this module returns is one line of printable text, so that no payload can control the output.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from isogloss.validator.findings import Severity
from isogloss.validator.nesting import shallow
from isogloss.validator.secrets import mask_text

__all__ = [
    "count_of", "count_severities", "join_first", "join_list", "json_type", "printable", "printable_json", "quote_name",
    "quote_value", "type_name", "type_with_article", "value_beginning", "without_numbers",
]  # fmt: skip

_WORD = re.compile(r"[A-Za-z0-9_.:-]{0,40}\Z")
_NUMBER = r"(`[^`]*`|\"[^\"]*\")|(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)"
_LONGEST_NAME = 60
_LONGEST_EXCERPT = 200
_TYPES = {
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_JSON_TYPES = {type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}


def printable(text: str) -> str:
    """Return the text with an escape in place of every character that is not printable."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape", "backslashreplace").decode()
        for character in text
    )


def printable_json(text: str) -> str:
    """Return JSON text with an escape in place of every character that is not printable, except ends of lines.

    A JSON document has such characters only inside of strings, so it means the same.
    """
    return "\n".join(line if line.isprintable() else _escaped_json(line) for line in text.split("\n"))


def _escaped_json(line: str) -> str:
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1].replace("\x7f", r"\u007f") for one in line)


def quote_name(text: str) -> str:
    """Put a property name from a payload in backquotes. Shorten and mask it if needed."""
    return _short_name(text) if len(text) <= _LONGEST_NAME else _name(text)


def _name(text: str) -> str:
    text = printable(mask_text(text)).replace("`", "'")
    return f"`{text}`" if len(text) <= _LONGEST_NAME else f"`{text[:_LONGEST_NAME]}…`"


_short_name = lru_cache(4096)(_name)


def value_beginning(value: object) -> str:
    """Return the beginning of a value as JSON, for users who want to see the values of a payload.

    Secret keys are masked even then.
    """
    shown = shallow(value, _LONGEST_EXCERPT)  # each level takes a character
    text = printable(mask_text(json.dumps(shown, ensure_ascii=False, default=str)))
    return text if len(text) <= _LONGEST_EXCERPT else text[:_LONGEST_EXCERPT] + "…"


def quote_value(value: object) -> str:
    """Describe a value as a finding may quote it.

    Numbers, null, booleans and strings that look like values of an enumeration are written out. Any other value
    is described by its type. A longer string and a very long number are described by their type and length.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        text = repr(value)
        return text if len(text) <= _LONGEST_NAME else f"a number of {len(text)} digits"
    if isinstance(value, str):
        return f'"{mask_text(value)}"' if _WORD.match(value) else f"a string of {count_of(len(value), 'character')}"
    return type_with_article(value)


def type_with_article(value: object) -> str:
    """Return the JSON type of a value with its article, e.g. ``an object``."""
    return _TYPES[json_type(value)]


def json_type(value: object) -> str:
    """Return the name that JSON Schema has for the type of a JSON value."""
    return _JSON_TYPES.get(type(value), "object")


def type_name(json_type: str) -> str:
    """Return the name of a JSON Schema type with its article."""
    return _TYPES[json_type]


def join_list(parts: Sequence[str]) -> str:
    """Join parts to a list for a sentence: ``a, b or c``."""
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " or " + parts[-1]


def join_first(parts: Sequence[str], most: int) -> str:
    """Join the first parts of a list, and say how many more there are: ``a, b and 3 more``."""
    return ", ".join(parts[:most]) + (f" and {len(parts) - most:,} more" if len(parts) > most else "")


@lru_cache(4096)
def without_numbers(message: str) -> str:
    """Replace every number in a message by ``#``, except in quoted names and values.

    Messages that differ only in a number are then equal, and can be counted as one.
    """
    return re.sub(_NUMBER, lambda match: match[0] if match[1] else "#", message)


def count_severities(severities: Iterable[Severity]) -> str:
    """Write how many of each severity there are, the most severe first: ``2 errors, 1 note``."""
    counts = Counter(severities)
    return ", ".join(count_of(counts[severity], severity.label) for severity in sorted(counts, reverse=True))


def count_of(count: int, unit: str) -> str:
    """Write a count with its unit: ``1 item``, ``2 items``, ``3,000 properties``."""
    plural = unit[:-1] + "ies" if unit.endswith("y") else unit + "s"
    return f"{count:,} {unit if count == 1 else plural}"
