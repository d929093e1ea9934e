"""The :class:`Mapping` that says at which paths a record holds the parts of an exchange.

The user gives a mapping, or the table of known logs has one. A path is the names of properties joined by dots, from the
record inwards: ``payload.request.body``. A name may have dots itself: ``attributes.input.value`` also finds the
property ``input.value`` of ``attributes``. A number is the position of an item in an array. In an array of keys and
values (``[{"key": …, "value": …}]``), a key is found like a name. In a string of JSON text, the path continues in that
text.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PARTS", "Mapping"]


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
