"""Leave out hits about values that a recorder overwrote: what it wrote in their place, no sender sent.

Recorders, and tests that use them, write a word in brackets in place of what is private or changes each time:
``[REDACTED]``, ``<redacted-request-messages>``, ``[created]`` (insta), ``[3 messages]``, ``@@@langfuseMedia:…@@@``
(https://js.reference.langfuse.com/classes/_langfuse_client.MediaManager.html, read 2026-11), ``${json-unit.ignore}``
(https://wiremock.org/docs/request-matching/, read 2026-11), ``{{now}}`` (of a template), three dots or stars. A string
of this form where the reference has another type, or an id of another form, is no fault of server or client. In a text
such a word may be a true one, so nothing is left out of what other rules find there, except for arguments that are
redacted. Base64 that ends in dots was shortened, and so was an event in whose JSON dots stand in place of a part.

Documentation that a tool makes of a schema has names of types in place of values: ``"string"``, ``"<string>"``,
``"number | null"`` (https://docs.tokenproto.cn/260972127d0, https://apidoc.cometapi.com/schema-6750165, read 2026-11),
or each value names its own property: ``"model": "model"``
(https://gradientai-sdk.digitalocean.com/api/resources/chat/subresources/completions/methods/create, read 2026-11).
If the id and the model of an answer are such names, nothing of it was sent. As the value of ``type``, such a name is no
placeholder.

A recorder that names its files by a hash may write an id of its own into the answer, ``rec-`` and the beginning of that
hash, and 0 as the time (Llama Stack 0.7.3, ``api_recorder.py`` and recordings of its tests, read 2026-11). The answer
then has neither the id nor the time that the server sent.

A file that a program saved in another encoding than UTF-8 has bytes that are no character: what stands in their place
in a body inside the file, no server sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial

from isogloss.validator.examining.examined import RuleHit, without_events
from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.pointer import Pointer, read
from isogloss.validator.rules import Overwritten, rule
from isogloss.validator.text import Text, bad_runs

__all__ = ["is_id_of_recording", "without_overwritten"]

_LONGEST = 300
_WORDS = r"[^\[\]<>()]{0,100}(?i:redacted|scrubbed|filtered|sanitized)[^\[\]<>()]{0,100}"
_REDACTED = rf"\A(?:[\[<(]{_WORDS}[\])>]|\*{{3,60}})\Z"
_PLACEHOLDER = r"""(?x) \A(?:
      \W{0,3} (?i: redacted | scrubbed ) .{0,100}
    | \[ (?:\d{1,9}[ ])? [A-Za-z][\w .:/,-]{0,60} \]
    | < [A-Za-z][\w .:/-]{0,60} >
    | @@@ langfuseMedia: [^@]{1,250} @@@             # of Langfuse, in place of an image or a sound
    | [$\#]\{json-unit\.[^}]{1,100}\} .{0,100}         # of JsonUnit, with which WireMock compares JSON
    | \{\{ [^{}]{1,200} \}\}                           # of a template
    | \.{3} | … | \*{3,60}
    )\Z"""
_SHORTENED = rf"{_PLACEHOLDER} | \A .{{1,{_LONGEST}}} (?: \.{{3,9}} | … ) \Z"
_TYPE_NAME = r"(?:string|number|integer|boolean|object|array|int|float)"
_TYPE = rf"\A<?{_TYPE_NAME}(?:[ ]?[|,][ ]?(?:{_TYPE_NAME}|null)){{0,6}}(?:[ ]\([\w ]{{1,40}}\))?>?\Z"
_SHORTEST_HASH = 8
_BEGINNING_OF_HASH = rf"(?:\A|[^0-9A-Za-z])([0-9a-f]{{{_SHORTEST_HASH},63}})\Z"
_HEX_DIGITS = frozenset("0123456789abcdef")
_PATTERNS = {"word": _PLACEHOLDER, "beginning": _SHORTENED, "type": _TYPE, "redacted": _REDACTED}
"""By what a rule names in ``overwritten``, how that is written."""


def is_id_of_recording(value: object, file: str) -> bool:
    """Return whether a recorder made an id: it ends in the beginning of a longer hash in the name of the file.

    A file that is named after the id of its answer holds the whole id.
    """
    return isinstance(value, str) and value[-_SHORTEST_HASH:] in file and _ends_in_hash_of(value, file)


@lru_cache(64)
def _ends_in_hash_of(text: str, file: str) -> bool:
    beginning = re.search(_BEGINNING_OF_HASH, text)
    return beginning is not None and file.partition(beginning[1])[2][:1] in _HEX_DIGITS


def without_overwritten(hits: list[RuleHit], broken: frozenset[str], exchange: Exchange) -> list[RuleHit]:
    """Return the hits without those about overwritten values. Of a stream, events without such a value are kept.

    ``broken`` holds the names of their rules. In a live exchange, nothing is overwritten.
    """
    if exchange.live:
        return hits
    if type(exchange.response) is Stream and exchange.response.unsound:
        hits = _without_elided(hits, exchange)
    names = _overwritable(broken)
    if not names:
        return hits
    if _is_example(exchange):
        hits = [rule_hit for rule_hit in hits if rule_hit.part != "response"]
    for rule_hit in hits:
        if rule_hit.rule in names and _is_overwritten(exchange, rule_hit, rule_hit.hit.event):
            return list(_without_overwritten_events(hits, names, partial(_is_overwritten, exchange)))
    return hits


def _without_overwritten_events(
    hits: Iterable[RuleHit], names: frozenset[str], is_overwritten: Callable[[RuleHit, int | None], bool]
) -> Iterator[RuleHit]:
    for rule_hit in hits:
        # Recorders overwrite the first event, too.
        if rule_hit.rule in names and is_overwritten(rule_hit, rule_hit.hit.event):
            yield from without_events([rule_hit], is_overwritten)
        else:
            yield rule_hit


def _without_elided(hits: Iterable[RuleHit], exchange: Exchange) -> list[RuleHit]:
    """Return the hits, except those about events that a copy has shortened."""
    from isogloss.validator.streams.elided import elided_events  # not before an exchange needs it

    elided = elided_events(exchange)
    return list(without_events(hits, lambda _, event: event in elided))


def _is_example(exchange: Exchange) -> bool:
    """Return whether an answer was made of a schema: its id and its model, or its fingerprint, are names of types.

    They may also be their own names.
    """
    answer = exchange.response.value if isinstance(exchange.response, Payload) else None
    if not isinstance(answer, dict) or answer.get("id") not in ("string", "<string>", "id"):
        return False
    return any(answer.get(name) in ("string", "<string>", name) for name in ("model", "system_fingerprint"))


@lru_cache(4096)
def _overwritable(broken: frozenset[str]) -> frozenset[str]:
    """Return those of some rules that are about a value which a recorder may have overwritten."""
    return frozenset([name for name in broken if rule(name).overwritten])


def _is_overwritten(exchange: Exchange, rule_hit: RuleHit, event: int | None) -> bool:
    forms, pointer = rule(rule_hit.rule).overwritten, rule_hit.hit.pointer
    if "character" in forms:
        return not _is_utf_8(exchange.text.outermost())
    document = _document(rule_hit, event, exchange)
    value = read(document, pointer)
    id_ = value if pointer == ("id",) else read(document, ("id",)) if "recording" in forms else None
    if is_id_of_recording(id_, exchange.file):
        return True
    return isinstance(value, str) and len(value) <= _LONGEST and _stands_in_place(value, forms, pointer[-1:])


@lru_cache(1)  # many exchanges may be in one text
def _is_utf_8(text: Text) -> bool:
    return next(bad_runs(text.data, 0, None), None) is None


@lru_cache(64)
def _stands_in_place(value: str, forms: tuple[Overwritten, ...], name: Pointer) -> bool:
    """Return whether a value is what recorders write in place of the value of a property. All events may have it."""
    return any(
        _pattern(form).match(value) is not None
        for form in forms
        if form in _PATTERNS and not (form == "type" and name == ("type",))
    )


@cache
def _pattern(form: Overwritten) -> re.Pattern[str]:
    return re.compile(_PATTERNS[form])


def _document(rule_hit: RuleHit, event: int | None, exchange: Exchange) -> object:
    if rule_hit.part == "request":
        return exchange.request.value if exchange.request is not None else None
    body = exchange.response
    if isinstance(body, Stream):
        return body.values[event] if event is not None else None
    return body.value if isinstance(body, Payload) else None
