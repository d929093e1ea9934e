"""List the payloads of an exchange with their kinds, and find values in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from isogloss.validator.examining.overwritten import is_id_of_recording
from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.kinds.events import is_error
from isogloss.validator.pointer import ABSENT, Pointer, Steps, pointers_and_values

__all__ = [
    "KindAndPayload", "holder_of", "is_redacted", "is_redacted_in", "payloads_of", "values_at", "values_at_pointer",
]  # fmt: skip

_MOST_CHUNKS = 24

KindAndPayload = tuple[str, object]
"""The kind of a payload, and the payload."""


def payloads_of(exchange: Exchange, *, all_chunks: bool = False) -> Iterator[KindAndPayload]:
    """Yield each payload of the exchange with its kind.

    Of a long stream, yield only chunks at its beginning and its end, unless ``all_chunks``. Chunks that are cut off are
    left out. An id that the recorder made is replaced by a word that says so.
    """
    if exchange.request is not None:
        yield "request", exchange.request.value
    body = exchange.response
    if isinstance(body, Payload):
        yield body.kind, _without_id_of_recording(body.value, exchange.file)
    elif isinstance(body, Stream):
        whole = [value for event, value in enumerate(body.values) if event not in body.cut] if body.cut else body.values
        for chunk in _objects(whole) if all_chunks else _first_and_last_objects(whole):
            yield "error" if is_error(chunk) else "chunk", _without_id_of_recording(chunk, exchange.file)


def _objects(values: Iterable[object]) -> Iterator[dict[str, object]]:
    return (value for value in values if isinstance(value, dict))


def _first_and_last_objects(values: Sequence[object]) -> list[dict[str, object]]:
    """Return the objects among values: if there are very many, only some of the first and some of the last."""
    first = list(islice(_objects(values), _MOST_CHUNKS + 1))
    if len(first) <= _MOST_CHUNKS:
        return first
    last = list(islice(_objects(reversed(values)), _MOST_CHUNKS // 2))
    return first[: _MOST_CHUNKS // 2] + last[::-1]


def _without_id_of_recording(payload: object, file: str) -> object:
    if isinstance(payload, dict) and is_id_of_recording(payload.get("id"), file):
        return {**payload, "id": "[REDACTED]"}
    return payload


def is_redacted(value: object) -> bool:
    """Return whether a recorder overwrote a value, so that it is no evidence of who wrote it.

    An overwritten value neither shows a fact nor counts as a value that could have shown it. A number that a recorder
    wrote looks like any other number: for this case, :func:`is_redacted_in` also looks at the payload around it.
    """
    return isinstance(value, str) and ("REDACTED" in value.upper() or "***" in value or "SCRUBBED" in value.upper())


def is_redacted_in(payload: object, at: str, value: object) -> bool:
    """Return whether a recorder overwrote a value of a payload.

    Either the value itself shows it, or the value is a ``created`` of 0 beside an overwritten ``id``.
    """
    if at == "created" and type(value) is int and value == 0:
        return isinstance(payload, dict) and is_redacted(payload.get("id"))
    return is_redacted(value)


def holder_of(at: str) -> str:
    """Return the path of what holds the value at a path: all its steps but the last one."""
    return at.removesuffix("[]") if at.endswith("[]") else at.rpartition(".")[0]


def values_at(payloads: Iterable[KindAndPayload], kinds: frozenset[str], steps: Steps) -> Iterator[object]:
    """Yield the values that the steps of a path lead to, from the payloads of these kinds."""
    for kind, payload in payloads:
        if kind in kinds:
            yield from (value for _, value in pointers_and_values(payload, steps))


def values_at_pointer(payloads: Sequence[object], pointer: Pointer) -> Sequence[object]:
    """Return the value at a pointer in each of the payloads, or :data:`ABSENT` where it does not exist.

    All payloads take one step after the other, which is much faster than one payload after the other.
    """
    values = payloads
    for step in pointer:
        if isinstance(step, int):
            values = [value[step] if isinstance(value, list) and step < len(value) else ABSENT for value in values]
        else:
            values = [value.get(step, ABSENT) if isinstance(value, dict) else ABSENT for value in values]
    return values
