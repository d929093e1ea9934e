"""Build the cases: pairs of an answer with one deviation and its twin, the same answer without the deviation."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import answers
from comparing_replies import differ_only_at, have_same_content, mode_of, oracle_of, sent_content
from judging_replies import (
    ReplyFinding,
    exchange_of,
    extent_of_finding,
    findings_in,
    findings_of,
    fold_reply,
    has_calls,
    make_reply,
    reply_of,
    values_of,
)
from planting import plant
from repairing import FIXTURES, possible_repairs, rewrite
from replay_server import Reply
from rewriting import unfold

from isogloss.validator import captures
from isogloss.validator.exchange import Exchange, Payload, Skipped
from isogloss.validator.pointer import ABSENT

__all__ = [
    "SERVER_RULES",
    "Case",
    "build_cases",
    "cases_from_file",
    "conforming_cases",
    "source_files",
]

ROOT = FIXTURES.parent
GROUPS = ("catalogue", "completion", "json", "schema", "stream", "wire")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An answer to replay that has one deviation, with one value at one path, and its twin.

    ``message`` is what isogloss says of the deviation, ``calls`` whether it sees a call in the answer, and ``extent``
    on which events of a stream the deviation is.
    ``oracle`` is the content of the twin, which ``isogloss fold`` and the second fold read alike; for an error it is
    the error's message. ``sent`` is the content of the case itself. ``place`` is the path of the deviation. ``rule`` is
    ``None`` for a conforming answer of an unusual form.
    """

    name: str
    rule: str | None
    kind: str
    mode: str
    place: str
    value: Any
    message: str | None
    calls: bool
    extent: str | None
    source: str
    twin_source: str
    reply: Reply
    twin: Reply
    oracle: answers.Answer
    sent: answers.Answer

    @property
    def oracle_of_twin(self) -> answers.Answer:
        """The content of the twin; if the answer conforms and has several choices, only the first choice."""
        return self.oracle if self.rule is not None else oracle_of(self.twin) or self.oracle

    @property
    def key(self) -> str:
        """The key of the case: rule, kind, mode, path, value, message, calls, extent, and the file of a whole stream.

        No two cases have the same key. Streams with the same deviation may have it on other events, or in other parts.
        """
        stream = self.source if self.source.endswith(".sse") else None
        return json.dumps(
            [
                self.rule,
                self.kind,
                self.mode,
                self.place,
                repr(self.value),
                self.message,
                self.calls,
                self.extent,
                stream,
            ]
        )

    def entry(self) -> dict[str, Any]:
        """Return the entry of the case in ``cases.json``."""
        value = {"absent": True} if self.value is ABSENT else {"value": self.value}
        location = {"rule": self.rule, "kind": self.kind, "mode": self.mode, "place": self.place}
        words = {} if self.message is None else {"message": self.message}
        calls = {"calls": True} if self.calls else {}
        extent = {} if self.extent is None else {"extent": self.extent}
        return {**location, **value, **words, **calls, **extent, "case": self.source, "twin": self.twin_source}


def source_files() -> list[Path]:
    """Return the files that cases are built from, sorted."""
    files = [file for group in GROUPS for file in (FIXTURES / group).rglob("*") if file.is_file()]
    return sorted(file for file in files if file.parent.name == "catalogue" or file.name.startswith("invalid-"))


def build_cases(files: Sequence[Path]) -> tuple[dict[str, Case], dict[str, str]]:
    """Return the cases that are built from files, by name, and the reason for each file that gives no case.

    If several cases have the same key, only the first is kept.
    """
    cases: dict[str, Case] = {}
    reasons: dict[str, str] = {}
    names_by_key: dict[str, str] = {}
    for file in files:
        name = file.relative_to(ROOT).as_posix()
        cases_or_reason = cases_from_file(file)
        if isinstance(cases_or_reason, str):
            reasons[name] = cases_or_reason
            continue
        for case in chain(cases_or_reason, filter(None, map(_asked_as_stream, cases_or_reason))):
            if case.key in names_by_key:
                reasons[name] = f"the same deviation as {names_by_key[case.key]}"
            else:
                names_by_key[case.key] = case.name
                cases[case.name] = case
    return cases, reasons


def _asked_as_stream(case: Case) -> Case | None:
    """Return a case whose error answers a request for a stream; ``None`` if a case is no error, or is this one."""
    is_error = "error" in case.oracle and case.mode == "answer"
    return dataclasses.replace(case, name=f"{case.name}-asked-as-stream", mode="stream") if is_error else None


def cases_from_file(file: Path) -> list[Case] | str:
    """Return the cases that are built from a fixture, or the reason why none can be built.

    Only a fixture that is a single chunk gives several.
    """
    exchange = _read(file)
    if exchange is None or exchange.response is None:
        return "the file does not hold exactly one answer"
    body = exchange.response
    if isinstance(body, Payload) and body.kind == "chunk":
        return _planted_cases(file, exchange)
    case_or_reason = _case_from_answer(file, exchange)
    return case_or_reason if isinstance(case_or_reason, str) else [case_or_reason]


def _case_from_answer(file: Path, exchange: Exchange) -> Case | str:
    reply = reply_of(exchange)
    findings = findings_of(reply, exchange)
    finding = _main_finding(file, findings)
    if finding is None:
        return "the answer alone has no finding"
    if finding.rule in SERVER_RULES:
        return "the rule is about the server, not about its answer"
    if finding.rule == "markup-in-content" and "tool" in str(finding.value).lower():
        return "a call inside a text: a client may rightly turn it into a call"
    rules = _also_broken_rules(file) | {finding.rule}
    for twin_source, twin in _possible_twins(file, exchange, reply, rules):
        case = _make_case(file, finding, findings, reply, twin, twin_source, exchange)
        if case is not None:
            return case
    return "no conforming twin was found"


def _read(file: Path) -> Exchange | None:
    with file.open("rb") as stream:
        exchanges = list(captures.read(captures.Capture(stream, file.name)))
    if len(exchanges) != 1 or isinstance(exchanges[0], Skipped):
        return None
    return exchanges[0]


def _main_finding(file: Path, findings: list[ReplyFinding]) -> ReplyFinding | None:
    """Return the finding that a fixture is about, or ``None``.

    This is the finding of the rule whose folder holds the file. In the folder ``catalogue`` it is the first finding.
    """
    return next(
        (finding for finding in findings if finding.rule == file.parent.name),
        findings[0] if file.parent.name == "catalogue" and findings else None,
    )


def _also_broken_rules(file: Path) -> frozenset[str]:
    """Return the rules in the file ``also`` beside a fixture: those that it breaks besides its own."""
    also_file = file.with_name("also")
    return frozenset(also_file.read_text("utf-8").split()) if also_file.exists() else frozenset()


def _possible_twins(file: Path, exchange: Exchange, reply: Reply, rules: frozenset[str]) -> Iterator[tuple[str, Reply]]:
    """Yield possible twins, each with its source.

    Possible twins are the answer with its deviation repaired, the conforming fixtures beside the file and, for a
    stream, the completion that it folds into, written as a new stream. For fixtures of the group ``stream``, repairs
    come last, because a repair of single chunks could change the answer.
    """
    rewritten = [(_REWRITTEN, stream) for stream in rewrite(reply, rules)]
    repairs = (("generated", repair) for repair in possible_repairs(reply, rules, exchange))
    is_stream_rule = file.parents[1].name == "stream"
    yield from (
        chain(_conforming_siblings(file), rewritten, repairs)
        if is_stream_rule
        else chain(repairs, _conforming_siblings(file), rewritten)
    )


def _conforming_siblings(file: Path) -> Iterator[tuple[str, Reply]]:
    """Yield the conforming answers beside a fixture, each with its path. The one with the same name comes first."""
    siblings = sorted(file.parent.glob("valid-*"))
    siblings.sort(key=lambda sibling: sibling.stem.removeprefix("valid-") != file.stem.removeprefix("invalid-"))
    for sibling in siblings:
        conforming_exchange = _read(sibling)
        if conforming_exchange is not None and conforming_exchange.response is not None:
            yield sibling.relative_to(ROOT).as_posix(), reply_of(conforming_exchange)


def _make_case(
    file: Path,
    finding: ReplyFinding,
    findings: list[ReplyFinding],
    reply: Reply,
    twin: Reply,
    twin_source: str,
    original: Exchange,
) -> Case | None:
    """Return the case if the twin conforms and differs from the reply only by the deviation; ``None`` otherwise."""
    twin_findings = findings_of(twin, original if twin_source in ("generated", _REWRITTEN) else None)
    allowed = _also_broken_rules(file) | {finding.rule}
    keys = {one.key for one in findings}
    if any(one.rule == finding.rule or one.key not in keys or one.severity != "note" for one in twin_findings):
        return None
    repaired = {one.key for one in findings} - {one.key for one in twin_findings}
    if twin_source != "generated" and {rule for rule, _ in repaired} - allowed:  # a repair changes only one path
        return None
    if (
        file.parents[1].name != "stream"
        and finding.pointer
        and len({path for rule, path in repaired if rule == finding.rule}) > 1
    ):
        return None
    if twin_source not in ("generated", _REWRITTEN) and not differ_only_at(values_of(reply), values_of(twin), finding):
        return None
    oracle = oracle_of(twin)
    mode = mode_of(reply, original)
    if (
        oracle is None
        or (mode != mode_of(twin) and "error" not in oracle)
        or not have_same_content(reply, twin, oracle, finding)
    ):
        return None
    short_name = file.name.removeprefix("invalid-").rpartition(".")[0] + ("-stream" if file.suffix == ".sse" else "")
    value = finding.value if finding.pointer else short_name
    return Case(
        name=f"{finding.rule}/{short_name}",
        rule=finding.rule,
        kind=finding.kind if finding.kind in ("completion", "chunk", "error", "stream") else "exchange",
        mode=mode,
        place=finding.path,
        value=value,
        message=finding.message,
        calls=has_calls(exchange_of(reply, original)),
        extent=extent_of_finding(reply, finding),
        source=file.relative_to(ROOT).as_posix(),
        twin_source="generated" if twin_source == _REWRITTEN else twin_source,
        reply=reply,
        twin=twin,
        oracle=oracle,
        sent=sent_content(reply, finding),
    )


_REWRITTEN = "rewritten"
SERVER_RULES = frozenset({"answer-id-reused", "bad-request-accepted", "error-code-unexpected", "unexpected-status"})
"""Rules about how a server handled a request. The answer by itself conforms."""


def _planted_cases(file: Path, chunk: Exchange) -> list[Case] | str:
    """Return the cases of a fixture that is a single chunk, or the reason why none can be built.

    Each case is a stream with the deviation, and no two have it on the same events. The first has it in every chunk
    that has the path, if such a stream can be a case.
    """
    chunk_findings = [one for one in findings_in(chunk) if one.rule == file.parent.name]
    chunk_finding = _main_finding(file, chunk_findings)
    if chunk_finding is None or not chunk_finding.pointer:
        return "no finding with a pointer in the chunk"
    cases: dict[str | None, Case] = {}
    for stream, base_stream in plant(chunk_finding):
        reply, twin = make_reply(stream), make_reply(base_stream)
        findings = findings_of(reply)
        finding = next((one for one in findings if one.key == chunk_finding.key), None)
        case = finding and _make_case(file, finding, findings, reply, twin, "generated", exchange_of(reply))
        if case:
            name = f"{case.name}-{str(case.extent).split()[-2]}" if cases else case.name
            cases.setdefault(case.extent, dataclasses.replace(case, name=name))
    return list(cases.values()) or "no stream can hold the deviation of the chunk"


def conforming_cases() -> dict[str, Case]:
    """Return the cases that break no rule: conforming answers of forms that OpenAI sends but few other servers send.

    The twin is the same answer in its simplest form: its first choice alone, and a stream written anew.
    """
    cases = {}
    for file in sorted((FIXTURES / "conforming").glob("*/*")):
        mode = {"stream": "stream", "completion": "answer"}.get(file.parent.name)
        exchange = _read(file) if mode else None
        if exchange is None or exchange.response is None or mode is None:
            continue
        reply = reply_of(exchange)
        oracle, simplest = oracle_of(reply), _simplest_form(reply)
        if oracle is None or simplest is None or oracle_of(simplest) is None:
            continue
        name = f"conforming/{file.stem}-{mode}"
        cases[name] = Case(
            name=name,
            rule=None,
            kind="stream" if mode == "stream" else "completion",
            mode=mode,
            place="",
            value=file.stem,
            message=None,
            calls=has_calls(exchange),
            extent=None,
            source=file.relative_to(ROOT).as_posix(),
            twin_source="generated",
            reply=reply,
            twin=simplest,
            oracle=oracle,
            sent={},
        )
    return cases


def _simplest_form(reply: Reply) -> Reply | None:
    """Return a reply with the first choice alone, a stream written anew; ``None`` if that does not conform."""
    completion = fold_reply(reply)
    if isinstance(values_of(reply), list):
        simplest = make_reply(unfold({**completion, "choices": completion["choices"][:1]}))
    else:
        simplest = make_reply({**completion, "choices": completion["choices"][:1]})
    return None if any(finding.severity != "note" for finding in findings_of(simplest)) else simplest
