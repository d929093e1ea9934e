"""Say where records hold the parts of an exchange, as the user or a table of known logs has it.

A path is the names of properties joined by dots, from the record inwards: ``payload.request.body``. A name may have
dots itself: ``attributes.input.value`` also finds the property ``input.value`` of ``attributes``. A number is the place
of an item in a list. Where a list holds keys and values (``[{"key": …, "value": …}]``), a key is found like a name, and
where a string is JSON text the path goes on in it.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Mapping"]


class Mapping(NamedTuple):
    """Where a record holds each part of an exchange, as a path; empty for what it does not hold.

    ``request`` and ``response`` lead to bodies, as objects or as text; ``stream`` to the body of a streamed answer, as
    the text of its events or as the list of its chunks, and comes before ``response`` where it is there. ``path`` leads
    to the URL that was asked for, or to the path of it, and ``host`` to the host. ``as_sent`` is false where bodies are
    not what was sent: where a client library or the log itself wrote them anew, a stream as one completion.
    """

    request: str = ""
    response: str = ""
    stream: str = ""
    status: str = ""
    content_type: str = ""
    host: str = ""
    path: str = ""
    as_sent: bool = True
