"""Find the evidence on a finding: the cases that are like it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from isogloss.validator.decode import is_stream_type
from isogloss.validator.examining.examined import Examined, RuleHit
from isogloss.validator.examining.placing import payload_of_hit
from isogloss.validator.exchange import Payload, Stream
from isogloss.validator.findings import Impact
from isogloss.validator.impact.evidence import WHOLE, CaseKey, ClientEvidence, form_of
from isogloss.validator.impact.extent import Extents
from isogloss.validator.pointer import ABSENT, read

__all__ = ["Matcher"]


class Matcher:
    """Looks up what clients did on cases like a finding."""

    def __init__(self, evidence: ClientEvidence) -> None:
        self._evidence = evidence

    def impacts(
        self, examined: Examined, findings: Iterable[tuple[Sequence[RuleHit], str, str]]
    ) -> Iterator[Impact | None]:
        """Yield what clients did on cases like each finding: the hits of one rule at a path of payloads of a kind.

        If the values have several forms, the cases of all these forms count. Yield ``None`` for a request, and if there
        is no case like these hits.
        """
        body = examined.exchange.response
        extents = Extents(body.values) if isinstance(body, Stream) else None
        for found, kind, path in findings:
            yield self._impact(examined, found, kind, path, extents)

    def _impact(
        self, examined: Examined, found: Sequence[RuleHit], kind: str, path: str, extents: Extents | None
    ) -> Impact | None:
        if kind == "request":
            return None
        where = CaseKey(found[0].rule, kind, _mode(examined, kind), path)
        known_forms = self._evidence.forms(where)
        if not known_forms:
            return None
        forms, has_calls = _forms(examined, found, path, known_forms), "calls" in examined.contents.features
        extent = _extent(extents, found) if extents and self._evidence.has_several_extents(where) else None
        return self._evidence.impact(where, forms, found[0].hit.message, has_calls, extent)


def _forms(examined: Examined, found: Sequence[RuleHit], path: str, known_forms: Collection[str]) -> frozenset[str]:
    """Return the forms of the values that some hits are about, as far as these forms are known.

    Stop once all known forms are found: most often, the first value has the only one.
    """
    if not path:
        return frozenset((WHOLE,))
    forms: set[str] = set()
    for one in found:
        for payload in _payloads_of(examined, one):
            form = form_of(ABSENT if payload is None else read(payload, one.hit.pointer), path)
            if form in known_forms:
                forms.add(form)
                if len(forms) == len(known_forms):
                    return frozenset(forms)
    return frozenset(forms)


def _extent(extents: Extents, found: Sequence[RuleHit]) -> str | None:
    """Return on which events of a stream some hits are; ``None`` if they are on none, or about events as a whole."""
    pointer = found[0].hit.pointer
    events = {event for one in found for event in one.events or (one.hit.event,) if event is not None}
    return extents.of(pointer, events) if pointer and events else None


def _mode(examined: Examined, kind: str) -> str:
    """Return the mode that the client requested: ``answer`` for one document, or ``stream``.

    If the request is not known, return the mode of the answer. A chunk by itself is a part of a stream.
    """
    request, http = examined.exchange.request, examined.exchange.http
    if request is not None and isinstance(request.value, dict):
        return "stream" if request.value.get("stream") else "answer"
    is_stream = isinstance(examined.exchange.response, Stream) or is_stream_type(http.content_type)
    return "stream" if is_stream or kind in ("chunk", "stream") else "answer"


def _payloads_of(examined: Examined, found: RuleHit) -> Iterator[object]:
    """Yield the payloads that a hit is in. If several events have the same hit, yield the payloads of all."""
    exchange = examined.exchange
    body = exchange.response
    if found.events and isinstance(body, Stream):
        for event in found.events:
            yield body.values[event]
        return
    payload = payload_of_hit(exchange, found.part, found.hit, examined.folded)[1]
    if payload is None and isinstance(body, Payload):
        payload = body.value  # the finding is about the exchange, but points into its body
    yield payload
