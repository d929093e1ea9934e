"""Judge the nulls of what a client library or a program wrote anew: it writes null for what it did not get.

In an answer, such a null says only that the server sent null, or nothing. Where the reference allows neither, the null
is still a deviation, and it counts as a missing property. Other programs leave out all nulls, as ``model_dump`` does
with ``exclude_none``: what is missing from an answer without any null may have been null.

In a request, such a null says nothing: a program that keeps all messages as objects of one class writes null for what
only other messages have (``"tool_calls": null`` of a user). A program may also have kept the arguments of the call,
such as ``extra_body``, and not what the library sent. A request without a model does not say that none was sent,
either: a program may keep it elsewhere. OpenAI's store of completions adds options of the request to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain
from typing import Any

from msgspec.structs import replace

from isogloss import schemas
from isogloss.validator.captures.bodies.dumps import NOT_SENT, STORED, is_stored, names_call
from isogloss.validator.examining.examined import RuleHit
from isogloss.validator.examining.schema_findings import Violation
from isogloss.validator.exchange import Kind, Payload, Response, Stream
from isogloss.validator.kinds.marks import REQUEST_PROPERTIES
from isogloss.validator.nesting import values_in
from isogloss.validator.pointer import Pointer, read
from isogloss.validator.quoting import quote_name

__all__ = [
    "lacks_of_dumped", "lacks_of_dumped_chunks", "without_marks_of_fold", "without_omitted_nulls",
    "without_options_of_store", "without_unknown_nulls",
]  # fmt: skip

_ABOUT_OMITTED = frozenset({"missing-property", "documented-property-absent", "usage-null-missing"})
_MAY_BE_NULL = frozenset({"content", "refusal", "logprobs", "bytes", "usage"})
"""Required or documented properties for which the reference allows null in an answer, wherever they stand."""


def lacks_of_dumped(
    answer: Payload, hits: Iterable[RuleHit], violations_of: Callable[[Kind, object], Iterable[Violation]]
) -> list[RuleHit]:
    """Return what would be missing from a completion without its nulls, of what is null where the reference has none.

    ``violations_of`` are the violations of a payload.
    """
    nulls = {
        one.hit.pointer
        for one in hits
        if one.rule == "null-value"
        and one.part == "response"
        and one.hit.pointer
        and one.hit.pointer[-1] in _required_names()
    }
    if not nulls:
        return []
    return [
        RuleHit(rule, replace(hit, message=f"{quote_name(str(hit.pointer[-1]))} is missing, or was null"), "response")
        for rule, hit in violations_of(answer.kind, _without(answer.value, nulls))
        if rule == "missing-property" and hit.pointer in nulls
    ]


def without_marks_of_fold(hits: list[RuleHit]) -> list[RuleHit]:
    """Return the hits without those that show that a log made the completion of a stream.

    It keeps the index of each call, and streams have no usage unless they were asked for it.
    """
    return [
        one
        for one in hits
        if one.rule != "usage-absent"
        and not (one.rule == "unknown-property" and one.part == "response" and _is_index_of_call(one.hit.pointer))
    ]


def _is_index_of_call(pointer: Pointer) -> bool:
    return pointer[-1:] == ("index",) and pointer[-3:-2] == ("tool_calls",)


def without_omitted_nulls(answer: Response | None, hits: list[RuleHit]) -> list[RuleHit]:
    """Return the hits without those about what may have been null, if a program left out all nulls of an answer.

    The text of events is as it was sent, whatever is around it.
    """
    if not any(map(_may_be_omitted, hits)):
        return hits
    if isinstance(answer, Stream):
        values = answer.values if answer.framing is None else [None]
    else:
        values = [answer.value if isinstance(answer, Payload) else None]
    if any(one is None for one in values_in(values)):
        return hits
    return [one for one in hits if not _may_be_omitted(one)]


def _may_be_omitted(one: RuleHit) -> bool:
    """Return whether a hit is about a missing property of an answer for which the reference allows null."""
    if one.rule not in _ABOUT_OMITTED or one.part not in ("response", "stream") or not one.hit.pointer:
        return False
    name = one.hit.pointer[-1]
    return name in _MAY_BE_NULL or (name == "finish_reason" and one.part == "stream")


def lacks_of_dumped_chunks(hits: Iterable[RuleHit]) -> list[RuleHit]:
    """Return what would be missing from the chunks of a stream without its nulls, like :func:`lacks_of_dumped`.

    These are the properties that each chunk has to have, and the index of a choice or of a call.
    """
    return [
        RuleHit(
            "tool-call-index-missing" if "tool_calls" in one.hit.pointer else "missing-property",
            replace(one.hit, message=f"{quote_name(str(one.hit.pointer[-1]))} is missing, or was null", severity=None),
            "stream",
            one.events,
        )
        for one in hits
        if one.rule == "null-value"
        and one.part == "stream"
        and (one.hit.pointer[-1:] == ("index",) or (len(one.hit.pointer) == 1 and one.hit.pointer[0] in _of_chunks()))
    ]


def without_options_of_store(answer: Payload, hits: list[RuleHit]) -> list[RuleHit]:
    """Return the hits without those about what OpenAI's store added to a completion, such as options of the request."""
    if not is_stored(answer.value):
        return hits
    added = {(name,) for name in REQUEST_PROPERTIES.union(STORED)}
    return [
        one
        for one in hits
        if not (one.rule == "unknown-property" and one.part == "response" and one.hit.pointer in added)
    ]


def without_unknown_nulls(request: Payload, hits: Iterable[RuleHit]) -> list[RuleHit]:
    """Return the hits without those about what a program may have added to a request, or kept elsewhere.

    These are properties that are unknown where they are null, arguments of a call that a library does not send, the
    name of the call, and a model that is missing.
    """
    return [
        rule_hit
        for rule_hit in hits
        if rule_hit.part != "request"
        or not (
            (rule_hit.rule == "missing-property" and rule_hit.hit.pointer == ("model",))
            or (rule_hit.rule == "unknown-property" and _may_be_added(request, rule_hit.hit.pointer))
        )
    ]


def _may_be_added(request: Payload, pointer: Pointer) -> bool:
    value = read(request.value, pointer)
    return value is None or (len(pointer) == 1 and (pointer[0] in NOT_SENT or names_call(value)))


@cache
def _required_names() -> frozenset[object]:
    """Return the names of all properties that some object of a completion has to have."""
    values = values_in(schemas.validation_document("completion"))
    listed = [one["required"] for one in values if isinstance(one, dict) and isinstance(one.get("required"), list)]
    return frozenset(chain.from_iterable(listed))


@cache
def _of_chunks() -> frozenset[object]:
    """Return the names of the properties that each chunk has to have."""
    return frozenset(schemas.validation_document("chunk")["required"])


def _without(value: Any, pointers: Iterable[Pointer]) -> Any:
    """Return a value without the properties at these pointers. The value itself stays as it is."""
    copies: dict[Pointer, Any] = {(): value.copy()}
    for pointer in pointers:
        for depth, step in enumerate(pointer[:-1]):
            if pointer[: depth + 1] not in copies:
                outer = copies[pointer[:depth]]
                outer[step] = copies[pointer[: depth + 1]] = outer[step].copy()
        del copies[pointer[:-1]][pointer[-1]]
    return copies[()]
