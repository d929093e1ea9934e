"""Read collections of Postman: the responses that were saved beside a request, each with the request that it answers.

An item of a collection has a ``request`` and its saved responses as ``response``, or it is a folder with items of its
own. A response has ``originalRequest``, ``code``, ``header`` and ``body``. A request has ``method``, ``url.raw`` and
``body.raw`` (openai/openai.postman_collection.json of nickrusso42518/postman, a collection of format 2.1 that Postman
exported, read 2026-11). Requests without a saved response are not read: they are still to be filled in.

A report of Newman (``--reporters json``) holds a collection, and what its run sent and received as ``run.executions``;
the bytes of a body are the numbers of a ``stream`` (newman 6.2 was run, 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from isogloss.validator.captures.capture import Capture, skip_unreadable
from isogloss.validator.captures.document import Node, only_document
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why
from isogloss.validator.text import Text

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "postman"
WORDS = (b'"info"', b'"collection"')

_SCHEMA = rb'"schema"\s*:\s*"https://schema\.(?:get)?postman\.com/'
_VARIABLE = rb"\{\{[^{}\s]+\}\}"
"""A variable in a request. Nobody knows what was sent in its place."""


def recognise(capture: Capture) -> int:
    """Recognise an object that begins with ``info``, and names the schema of collections there."""
    if capture.first_property[0] not in (b"info", b"collection") or b"postman.com/" not in capture.head:
        return 0
    return 90 if re.search(_SCHEMA, capture.head) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield an exchange for each saved response, or a :class:`Skipped` for the collection if there is none."""
    document = only_document(capture)
    collection = document.root
    number = 0
    if collection.get("item").value is None:
        collection = collection.get("collection")
    for item in _items(collection):
        for response in item.get("response").items():
            yield _exchange(capture, number, item, response)
            number += 1
    for execution in document.root.get("run").get("executions").items():
        yield _exchange(capture, number, execution, execution.get("response"))
        number += 1
    if not number:
        yield Skipped(file=capture.name, why=Why("a collection of Postman without saved responses", Cause.OTHER))
    yield from document.damage(capture.name)


def _items(folder: Node) -> Iterator[Node]:
    """Yield the items of a collection that are no folders, in order."""
    open_folders = [folder.get("item").items()]  # the innermost is the last one
    while open_folders:
        item = next(open_folders[-1], None)
        if item is None:
            open_folders.pop()
        elif item.get("item").value is not None:
            open_folders.append(item.get("item").items())
        else:
            yield item


@skip_unreadable
def _exchange(capture: Capture, number: int, item: Node, response: Node) -> Exchange | Skipped:
    from isogloss.validator.captures.structures.objects.messages import message
    from isogloss.validator.captures.structures.pairs import exchange_of_messages

    original = response.get("originalRequest")
    request = message(original if original.value is not None else item.get("request"), capture.budget)
    if isinstance(request.body, Text) and re.search(_VARIABLE, request.body.data):
        request = replace(request, body=None)
    return exchange_of_messages(capture, number, response, request, message(response, capture.budget, role="answer"))
