"""From an exchange to its findings: examined, explained by dialects, and placed in the capture."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from isogloss.validator.engines import Engine
from isogloss.validator.examining.examiner import Examined, Examiner, Found
from isogloss.validator.examining.placing import Placer
from isogloss.validator.exchange import Exchange, Stream
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.streams import split_secrets

if TYPE_CHECKING:
    from isogloss.validator.dialects.attribution import Attribution
    from isogloss.validator.dialects.speakers import Speaker

__all__ = ["Judge", "Verdict"]


class Verdict(NamedTuple):
    """What was looked at in one exchange, payloads by kind and streams, and the findings in order.

    ``speaks`` is the slug of the dialect that it was held to or was found to speak, ``attribution`` how that was found.
    """

    payloads: Mapping[str, int]
    streams: int
    findings: list[Finding]
    speaks: str | None = None
    attribution: Attribution | None = None


_PLAIN = Verdict({"completion": 1}, 0, [])
"""On a completion that conforms, where no dialect is to be told."""


class Judge:
    """Judges exchanges, one at a time and each by itself.

    ``active`` are the names of the rules whose findings count; all of them by default. ``severities`` overrides the
    severity of single rules. ``speaker`` says whose deviations become notes; by default nobody's. ``show_values`` has
    findings quote what stands at their places, which may be what users wrote. With ``once``, what is said of a file
    again in the same words has the place of the first time, which is not looked for again.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        active: Collection[str] | None = None,
        severities: Mapping[str, Severity] | None = None,
        speaker: Speaker | None = None,
        show_values: bool = False,
        once: bool = False,
    ) -> None:
        self._examiner = Examiner(engine, active)
        self._severities = severities or {}
        self._speaker = speaker
        self._show_values = show_values
        self._once = once
        self._said: dict[tuple[object, ...], Finding] = {}
        self._said_of = ""

    def judge(self, exchange: Exchange) -> Verdict:
        """Check one exchange.

        Raises :class:`RuleFailed` when a rule raises, which no input should bring about.
        """
        if self._once and exchange.file != self._said_of:
            self._begin(exchange.file)
        if self._show_values:
            exchange = _without_split_keys(exchange)
        examined = self._examiner.examine(exchange)
        explained = self._speaker.explain(examined) if self._speaker is not None else None
        speaks, attribution, by, added = explained or (None, None, [()] * len(examined.found), [])
        found = [*examined.found, *added]
        findings = self._findings(examined, found, by) if found else []
        if exchange.expected_status:  # who knows what has to be answered asks as they do on purpose
            findings = [one for one in findings if one.kind != "request"]
        return Verdict(examined.payloads, examined.streams, findings, speaks, attribution)

    def again(self, file: str, value: dict[str, Any]) -> Verdict | None:
        """The verdict on a completion in a file, by itself and from a sound text, if it needs no looking at.

        That is so for one that conforms, where no dialect is to be told. ``None`` for any other.
        """
        plain = self._speaker is None and self._examiner.ordinary(value) and self._examiner.conforms(value)
        return _PLAIN if plain else None

    def _begin(self, file: str) -> None:
        """Begin a file, of which nothing has been said yet."""
        self._said_of = file
        self._said.clear()

    def _findings(self, examined: Examined, found: list[Found], explained: list[tuple[str, ...]]) -> list[Finding]:
        """Place what was found; the same thing on many chunks of the stream becomes one finding with a count."""
        placer = Placer(examined.exchange, examined.folded, show_values=self._show_values)
        counts: dict[tuple[object, ...], int] = {}
        first: dict[tuple[object, ...], tuple[Found, tuple[str, ...]]] = {}
        for number, (one, by) in enumerate(zip(found, explained, strict=True)):
            path, kind = placer.path_and_kind(one.part, one.hit)
            key = (one.rule, kind, path, one.hit.message, by, None if one.hit.event is not None else number)
            counts[key] = counts.get(key, 0) + 1
            first.setdefault(key, (one, by))
        if self._once and (said := self._repeated(first, counts)) is not None:
            return said
        findings = [
            placer.finding(one.rule, self._severity(one, by), one.part, one.hit, counts[key], by)
            for key, (one, by) in first.items()
        ]
        findings.sort(key=_order)
        if self._once:
            for finding in findings:
                self._said.setdefault(_words(finding), finding)
        return findings

    def _repeated(
        self,
        first: Mapping[tuple[object, ...], tuple[Found, tuple[str, ...]]],
        counts: Mapping[tuple[object, ...], int],
    ) -> list[Finding] | None:
        """The findings, each with the place of the first of its kind; ``None`` when one of them is new in the file."""
        findings = []
        for key, (one, by) in first.items():
            rule, kind, path, message, *_ = key
            said = self._said.get((rule, kind, path, message, by, self._severity(one, by)))
            if said is None:
                return None
            findings.append(said if said.count == counts[key] else replace(said, count=counts[key]))
        return findings

    def _severity(self, one: Found, explained_by: tuple[str, ...]) -> Severity:
        return Severity.NOTE if explained_by else self._severities.get(one.rule) or one.severity


def _without_split_keys(exchange: Exchange) -> Exchange:
    response = exchange.response
    if response is None or not isinstance(response.body, Stream):
        return exchange
    return exchange._replace(response=response._replace(body=split_secrets.in_values(response.body)))


def _words(finding: Finding) -> tuple[object, ...]:
    return finding.rule, finding.kind, finding.path, finding.message, finding.explained_by, finding.severity


def _order(finding: Finding) -> tuple[object, ...]:
    source = finding.source
    return source.line, source.column, -finding.severity, finding.rule, finding.pointer
