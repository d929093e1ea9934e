"""Read YAML as JSON: each document becomes a JSON text, and each part of this text has its place in the YAML.

So traffic that was recorded in YAML is read in the same way as traffic that was recorded in JSON. Scalars are resolved
as PyYAML does it (YAML 1.1), since most cassettes are written by PyYAML. Keys that are symbols of Ruby lose their
colon, as in the cache of puffing-billy (lib/billy/cache.rb of oesmith/puffing-billy, read 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat, starmap
from typing import Any

import orjson

from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.captures.yaml.places import Nodes
from isogloss.validator.captures.yaml.words import KEYS, SYMBOLS
from isogloss.validator.captures.yaml.writer import Writer
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text, bad_runs

__all__ = ["NotYaml", "yaml_documents"]

_LEAST_LIMIT = 1 << 24
_SYMBOL = rb"(?m)^[ -]{0,40}:(?:request|response|url|uri|body):(?:[ \r\n]|\Z)"
"""A key as Ruby writes a symbol. The pseudo-headers of HTTP/2 begin with a colon, too, but have other names."""


class NotYaml(Unreadable):
    """Raised where a text stops being YAML."""


def yaml_documents(text: Text) -> Iterator[Text]:
    """Yield the documents of a YAML text, as JSON texts that are derived from it.

    Raises :class:`NotYaml` where the text stops being YAML, and :class:`Unreadable` for what JSON cannot hold, and
    beyond the budget.
    """
    import yaml  # takes some 20 ms, so it is imported only for YAML

    data = text.data.removeprefix(b"\xef\xbb\xbf")
    try:
        keys = SYMBOLS if re.search(_SYMBOL, data) else KEYS
        events = starmap(getattr(yaml, "CSafeLoader", yaml.SafeLoader)(data).get_event, repeat(()))
        while not isinstance(event := next(events), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                writer = Writer(yaml, limit=max(_LEAST_LIMIT, 4 * len(data)), keys=keys)
                yield _derive(writer.write(events), text, writer.nodes, len(text.data) - len(data))
    except yaml.YAMLError as error:
        raise NotYaml(f"not YAML: {_reason(error, data)}") from error
    except Unreadable:
        raise
    except (orjson.JSONEncodeError, OverflowError, ValueError) as error:  # without libyaml, which refuses it itself
        raise NotYaml("not YAML: an escape of no character") from error


def _reason(error: Any, data: bytes) -> str:
    """Return the message of PyYAML with its place: a ``ReaderError`` has an offset, other errors have marks."""
    position = getattr(error, "position", None)
    if position is not None:
        line = data.count(b"\n", 0, position) + 1
        return f"line {line}: {error.reason}" + ("; save it as UTF-8" if next(bad_runs(data, 0, None), None) else "")
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    return f"{where}{getattr(error, 'problem', None) or 'it cannot be read'}"


def _derive(json: bytes, text: Text, nodes: Nodes, skipped: int) -> Text:
    return Text.derived(mask(json), text, lambda: nodes.segments(json, text.data, skipped))
