"""Make the conforming twin of an answer by repairing its deviation.

Each repair is tried on a copy, which is then checked. It succeeds if the finding is gone and there is no new one.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import dataclasses
import html
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from judging_replies import ReplyFinding, findings_of, fold_reply, is_stream, make_reply, values_of
from replay_server import Reply
from rewriting import unfold

from isogloss.validator.exchange import Exchange
from isogloss.validator.pointer import ABSENT, Pointer, generic, read

__all__ = ["NOT_REPAIRED_BY_FOLD", "conforming_values", "possible_repairs", "repair", "rewrite"]

FIXTURES = Path(__file__).parents[2] / "fixtures"
MAX_REPAIRS = 60
"""How many values are repaired in one answer. A stream may have one in each of its chunks."""
NOT_REPAIRED_BY_FOLD = frozenset(
    {"content-cumulative", "tool-call-index-reused", "tool-call-index-missing", "connection-broken"}
)
"""Rules about streams whose violations ``isogloss fold`` does not repair, on purpose."""


def possible_repairs(reply: Reply, rules: frozenset[str], original: Exchange | None = None) -> Iterator[Reply]:
    """Yield replies that may be what was meant.

    They have the payload repaired, the bytes decoded as UTF-8 or Latin-1, another status, or only the error message.
    """
    if (repaired := repair(reply, rules, original)) is not None:
        yield repaired
    data = b"".join(reply.pieces)
    texts = [data.decode("utf-8", "ignore").lstrip("\ufeff")]
    if texts[0].encode() != data:
        texts.append(data.decode("latin-1"))
    for text in texts:
        decoded = dataclasses.replace(reply, pieces=[text.encode()], broken=False)
        yield decoded
        if (repaired := repair(decoded, rules, original)) is not None:
            yield repaired
    yield dataclasses.replace(reply, status=200)
    yield dataclasses.replace(reply, status=400)
    value = values_of(reply)
    if isinstance(value, list) and not is_stream(reply):  # an array of chunks
        yield make_reply(value, reply.status)
    for status in (reply.status, 400):
        error_type = "server_error" if status >= 500 else "invalid_request_error"
        for message in _possible_messages(value):
            error = {"message": message, "type": error_type, "param": None, "code": None}
            yield make_reply({"error": error}, status)


def rewrite(reply: Reply, rules: frozenset[str]) -> Iterator[Reply]:
    """Yield the completion that a stream folds into, written as a new stream, if that repairs violations of rules."""
    if isinstance(values_of(reply), list) and not rules & NOT_REPAIRED_BY_FOLD:
        completion = fold_reply(reply)
        if isinstance(completion, dict):
            yield make_reply(unfold(completion))


def _possible_messages(value: Any) -> Iterator[str]:
    """Yield the texts that may be the message of an error, at any depth."""
    if isinstance(value, str) and " " in value:
        yield value
    elif isinstance(value, dict) and not value.get("choices"):
        for name in ("error", "message", "detail", "msg", "errors"):
            yield from _possible_messages(value.get(name))
    elif isinstance(value, list):
        for part in value:
            yield from _possible_messages(part)


def repair(reply: Reply, rules: frozenset[str], original: Exchange | None = None) -> Reply | None:
    """Return a reply in which the findings of some rules are gone and no new ones came; ``None`` if there is no repair.

    Faults of text and framing, such as a superfluous comma in JSON, are gone because the answer is written anew.
    """
    value = values_of(reply)
    if value is None or (
        isinstance(value, list) and not (is_stream(reply) and any(isinstance(x, dict) for x in value))
    ):
        return None
    status = reply.status
    try:
        repaired = make_reply(value, status)
    except (RecursionError, ValueError):  # nested too deeply, or text that no UTF-8 can hold
        return None
    for _ in range(MAX_REPAIRS):
        findings = findings_of(repaired, original)
        finding = next((one for one in findings if one.rule in rules), None)
        if finding is None:
            return repaired
        changed = _remove_finding(value, finding, findings, status, original)
        if changed is None:
            return None
        value = changed
        repaired = make_reply(value, status)
    return None


def _remove_finding(
    value: Any, finding: ReplyFinding, findings: list[ReplyFinding], status: int, original: Exchange | None
) -> Any:
    """Return the first changed copy in which the finding is gone and no new one came; ``None`` if there is none."""
    if not finding.pointer or (isinstance(value, list) and (finding.event is None or finding.kind == "completion")):
        return None
    pointer = (finding.event, *finding.pointer) if isinstance(value, list) else finding.pointer
    known_findings = {(one.key, one.pointer, one.event) for one in findings}
    events = value if isinstance(value, list) else []
    for candidate in [*_values_in_other_events(events, finding), *_possible_values(finding), REMOVE_EVENT]:
        changed = _replace_value(value, pointer, candidate)
        if changed is None:
            continue
        findings_after = {
            (one.key, one.pointer, one.event) for one in findings_of(make_reply(changed, status), original)
        }
        if (finding.key, finding.pointer, finding.event) not in findings_after and {
            one[0] for one in findings_after
        } <= {one[0] for one in known_findings}:
            return changed
    return None


REMOVE_EVENT: Any = object()
"""Stands for a value: the whole event with the value is removed."""


def _values_in_other_events(events: list[Any], finding: ReplyFinding) -> list[Any]:
    """Return up to three different values that other events of a stream have at the pointer, in their order."""
    values = [read(event, finding.pointer) for event in events]
    return [
        value
        for number, value in enumerate(values)
        if value not in (ABSENT, None, finding.value) and value not in values[:number]
    ][:3]


def _replace_value(value: Any, pointer: Pointer, candidate: Any) -> Any:
    """Return a copy with another value at a pointer; ``None`` if the copy cannot have it there."""
    if candidate is REMOVE_EVENT:
        return (
            value[: pointer[0]] + value[pointer[0] + 1 :]
            if isinstance(value, list) and isinstance(pointer[0], int)
            else None
        )
    changed = copy.deepcopy(value)
    part = changed
    try:
        for step in pointer[:-1]:
            part = part[step]
        if candidate is ABSENT:
            del part[pointer[-1]]
        else:
            part[pointer[-1]] = candidate
    except (LookupError, TypeError):  # the finding is about the request, or about a part that an array lacks
        return None
    return changed


def _possible_values(finding: ReplyFinding) -> Iterator[Any]:
    """Yield values that may be meant: the value in another type, no value, or what conforming answers have there."""
    yield from _converted_values(finding.value)
    if finding.rule == "unknown-property":
        yield ABSENT
    kind = "chunk" if finding.kind in ("chunk", "stream") else finding.kind
    if finding.pointer[-1] == "arguments":
        yield "{}"
    yield from conforming_values(kind).get(generic(finding.pointer), ())
    if finding.value is not ABSENT and finding.rule != "unknown-property":
        yield ABSENT


def _converted_values(value: Any) -> Iterator[Any]:
    """Yield a value in other types, and as other texts, that may be meant."""
    if isinstance(value, str):
        yield from _possible_meanings(value)
    elif isinstance(value, dict):
        yield json.dumps(value)
    elif isinstance(value, list):
        parts = [item.get("text") if isinstance(item, dict) else item for item in value]
        if texts := [part for part in parts if isinstance(part, str)]:
            yield "".join(texts)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if value == value and abs(value) < 1e300:
            yield abs(int(value))
        yield str(value)


_MARKUP = re.compile(r"<\|?(?:think|channel).*?(?:</think>|<\|end\|>)|\[THINK\].*?\[/THINK\]|<[^<>]*>", re.DOTALL)
_MAX_NAME_LENGTH = 64


def _possible_meanings(value: str) -> Iterator[Any]:
    """Yield what a text may mean: a number, arguments in JSON, a name, or words without markup."""
    with contextlib.suppress(ValueError):
        yield json.loads(value)
    with contextlib.suppress(ValueError, SyntaxError):
        if isinstance(literal := ast.literal_eval(value), dict):
            yield json.dumps(literal, ensure_ascii=False)
    yield html.unescape(value)
    yield value.replace("&quot;", '\\"')
    if value.startswith("{"):
        yield value[value.rfind("{") :]
        yield value + '"}'
    if re.fullmatch(r"[\w.<|>]+", value):
        yield value.lower()
        yield value.rpartition(".")[2].partition("<")[0]
        yield value[:_MAX_NAME_LENGTH]
    yield value.rpartition("</think>")[2].strip() or value.partition("</think>")[0].strip()
    yield _MARKUP.sub("", value).strip()
    yield value.replace("\ufffd", "").strip()


@cache
def conforming_values(kind: str) -> dict[str, list[Any]]:
    """Return the values at each path in the conforming payloads of a kind, the most frequent values first."""
    counts: dict[str, dict[str, int]] = {}
    for file in sorted((FIXTURES / "conforming" / kind).glob("*.json")):
        for path, value in _paths_and_values(json.loads(file.read_text("utf-8"))):
            counts_of_path = counts.setdefault(path, {})
            text = json.dumps(value)
            counts_of_path[text] = counts_of_path.get(text, 0) + 1
    texts_by_path = {
        path: sorted(counts_of_path, key=lambda text: (-counts_of_path[text], text))
        for path, counts_of_path in counts.items()
    }
    return {path: [json.loads(text) for text in texts] for path, texts in texts_by_path.items()}


def _paths_and_values(value: Any, pointer: Pointer = ()) -> Iterator[tuple[str, Any]]:
    if pointer:
        yield generic(pointer), value
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _paths_and_values(part, (*pointer, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _paths_and_values(part, (*pointer, index))
