"""The :class:`Mapping` that says at which paths a record holds the parts of an exchange.

The user gives a mapping, or the table of known logs has one. A path is the names of properties joined by dots, from the
record inwards: ``payload.request.body``. A name may have dots itself: ``attributes.input.value`` also finds the
property ``input.value`` of ``attributes``. A number is the position of an item in an array. In an array of keys and
values (``[{"key": …, "value": …}]``), a key is found like a name. In a string of JSON text, the path continues in that
text. A name with brackets, or one that is empty, is written ``["name"]``, as in the paths of findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

__all__ = ["PARTS", "Mapping", "is_path", "names_of", "path_of"]

_NAME = r"[^.\[\]]+"
_QUOTED = r'\["(?:[^"\\]|\\.)*"\]'
_PATH = rf"(?!\$(?:\Z|[.\[]))(?:{_NAME}|{_QUOTED})(?:\.{_NAME}|{_QUOTED})*"
"""The form of a path. The schema of the configuration has the same pattern. A first ``$`` is that of JSON Path."""
_NEEDS_QUOTES = r"(?s)\Z|[\s.]|.*(?:[\[\],]|[\s.]\Z|\.\.)"


class Mapping(NamedTuple):
    """The path to each part of an exchange in a record. The path of a part that the record does not hold is empty.

    ``request`` and ``response`` lead to bodies, as objects or as text. ``stream`` leads to the body of a streamed
    answer, as the text of its events or as an array of its chunks; if that is present, it is used in place of
    ``response``. ``path`` leads to the URL of the request or to the path of this URL, and ``host`` to the host.
    ``as_sent`` is false if the bodies are not what was sent, because a client library or the log itself wrote them
    again, e.g. a stream as one completion.
    """

    request: str = ""
    response: str = ""
    stream: str = ""
    status: str = ""
    content_type: str = ""
    host: str = ""
    path: str = ""
    as_sent: bool = True


PARTS = Mapping._fields[:-1]
"""The names of the parts that have a path."""


def is_path(text: str) -> bool:
    """Return whether a text has the form of a path."""
    return re.fullmatch(_PATH, text) is not None


@lru_cache(256)
def names_of(path: str) -> tuple[str, ...]:
    """Return the names in a path. Of a text that has not the form of a path, these are its parts between dots."""
    if '["' not in path or not is_path(path):
        return tuple(path.split("."))
    return tuple(
        re.sub(r"(?s)\\(.)", r"\1", one[2:-2]) if one.startswith("[") else one
        for one in re.findall(f"{_NAME}|{_QUOTED}", path)
    )


def path_of(names: Iterable[str]) -> str:
    """Return the path that has these names: the inverse of :func:`names_of`, except for names with dots."""
    path = ""
    for name in names:
        if re.match(_NEEDS_QUOTES, name) or (name == "$" and not path):
            path += '["' + re.sub(r'(["\\])', r"\\\1", name) + '"]'
        else:
            path += f".{name}" if path else name
    return path
