"""YAML read as JSON: each document becomes a JSON text that knows where in the YAML each part of it stands.

So what is recorded in YAML goes the same way as what is recorded in JSON. Scalars are resolved as PyYAML does (YAML
1.1), which writes most cassettes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat, starmap
from typing import Any

from isogloss.validator.captures.capture import Unreadable
from isogloss.validator.captures.yaml_places import Nodes
from isogloss.validator.captures.yaml_writer import Writer
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["yaml_documents"]

_LEAST_LIMIT = 1 << 24


def yaml_documents(text: Text) -> Iterator[Text]:
    """Yield the documents of a YAML text, as JSON texts that are derived from it.

    Raises :class:`Unreadable` where the text stops being YAML, for what JSON cannot hold, and beyond the budget.
    """
    import yaml  # some 20 ms, which who reads no YAML need not pay

    data = text.data.removeprefix(b"\xef\xbb\xbf")
    try:
        events = starmap(getattr(yaml, "CSafeLoader", yaml.SafeLoader)(data).get_event, repeat(()))
        while not isinstance(event := next(events), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                writer = Writer(yaml, limit=max(_LEAST_LIMIT, 4 * len(data)))
                yield _derived(writer.write(events), text, writer.nodes, len(text.data) - len(data))
    except yaml.YAMLError as error:
        raise Unreadable(f"not YAML: {_why(error, data)}") from error


def _why(error: Any, data: bytes) -> str:
    """Return the message of PyYAML with its place: a ``ReaderError`` has an offset, other errors have marks."""
    position = getattr(error, "position", None)
    if position is not None:
        line = data.count(b"\n", 0, position) + 1
        return f"line {line}: {error.reason}"
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    return f"{where}{getattr(error, 'problem', None) or 'it cannot be read'}"


def _derived(json: bytes, text: Text, nodes: Nodes, skipped: int) -> Text:
    return Text.derived(mask(json), text, lambda: nodes.segments(json, text.data, skipped))
