"""Test that strangers are never taken for a known dialect by what any server may send.

What that is, is read from the files of all dialects. A value of a fact may name its dialect alone only if it was
counted in recordings, or if it holds the name of the dialect. A value is common if it is missing or empty, or if
several families of dialects have it: two common values of a dialect together name nobody, either.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from dialect_examples import (
    EXAMINER,
    KNOWN,
    UUID,
    examined,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import read_all
from sample_values import CALL, CONFORMING, put, values

from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.dialects.model import Deviation, Dialect, Fact
from isogloss.validator.exchange import Exchange

EXPLAINER = AutoExplainer(KNOWN)
ABSENT: Any = ...
FAULTS: tuple[tuple[str, Any], ...] = (
    ("id", ""), ("id", UUID), ("id", UUID.replace("-", "")), ("id", None), ("id", 7), ("id", ABSENT),
    ("created", 0), ("created", 1780000000.5), ("created", "1780000000"), ("created", ABSENT),
    ("model", ""), ("model", ABSENT), ("object", ""), ("object", "text_completion"), ("object", ABSENT),
    ("system_fingerprint", ""), ("system_fingerprint", None), ("service_tier", ""), ("service_tier", None),
    ("usage", {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}), ("usage", None), ("usage", {}),
    ("usage", {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12, "cost": {"total": 0.1}}),
    ("choice.index", ABSENT), ("choice.logprobs", ABSENT), ("choice.logprobs", {}),
    ("choice.finish_reason", ""), ("choice.finish_reason", None), ("choice.finish_reason", ABSENT),
    ("choice.finish_reason", "end_turn"), ("choice.finish_reason", "STOP"), ("choice.finish_reason", "eos"),
    ("choice.finish_reason", "error"), ("message.name", None), ("message.tool_call_id", None),
    ("message.role", "assistant"), ("message.name", "x"), ("message.content", None), ("message.refusal", ABSENT),
    ("message.reasoning", "So"), ("message.reasoning_content", "So"), ("message.reasoning_content", None),
    ("message.tool_calls", None), ("message.tool_calls", []), ("message.function_call", None),
)  # fmt: skip
"""Values at paths in a completion, or in each chunk of a stream. No dialect is the only one that has one of them."""


def completion_with(*faults: tuple[str, Any]) -> dict[str, Any]:
    """Return a completion that conforms but for these faults."""
    message = {"role": "assistant", "content": "Hi.", "refusal": None}
    return _with({"object": "chat.completion"}, {"finish_reason": "stop"}, message, "message", faults)


def stream_with(*faults: tuple[str, Any]) -> list[dict[str, Any]]:
    """Return the chunks of a stream that conforms but for these faults. A wrong end is in the last chunk only."""
    deltas: tuple[dict[str, Any], ...] = ({"role": "assistant", "content": ""}, {"content": "Hi"}, {"content": "."}, {})
    chunks = []
    for delta in deltas:
        own = faults if delta == {} else [one for one in faults if one[0] != "choice.finish_reason" or one[1] is ABSENT]
        choice = {"finish_reason": None if delta else "stop"}
        chunks.append(_with({"object": "chat.completion.chunk"}, choice, delta, "delta", own))
    return chunks


def _with(
    payload: dict[str, Any], choice: dict[str, Any], message: dict[str, Any], name: str, faults: Any
) -> dict[str, Any]:
    payload = {"id": "chatcmpl-123", "created": 1780000000, "model": "my-model", **payload}
    choice = {"index": 0, "logprobs": None, **choice}
    holders = {"": payload, "choice": choice, "message": message}
    for path, value in faults:
        holder, _, last = path.rpartition(".")
        holders[holder][last] = value
    payload, choice, message = [{k: v for k, v in one.items() if v is not ABSENT} for one in holders.values()]
    return {**payload, "choices": [{**choice, name: message}]}


def _pairs() -> Iterator[tuple[tuple[str, Any], ...]]:
    """Yield every one of the faults, and every two of them that are at different paths."""
    yield from ((one,) for one in FAULTS)
    yield from (pair for pair in itertools.combinations(FAULTS, 2) if pair[0][0] != pair[1][0])


@pytest.mark.parametrize(
    ("answer_with", "step"),
    [
        pytest.param(completion_with, 1, id="completion", marks=pytest.mark.thorough),
        pytest.param(stream_with, 4, id="stream", marks=pytest.mark.thorough),
        pytest.param(stream_with, 1, id="all-streams", marks=pytest.mark.slow),
    ],
)
def test_two_faults_that_any_server_may_have_name_nobody(answer_with: Any, step: int) -> None:
    pairs = itertools.islice(_pairs(), 0, None, step)
    speakers = [(faults, EXPLAINER.explain(examined(answer_with(*faults))).speaks) for faults in pairs]
    assert [one for one in speakers if one[1] not in ("undetermined", "openai")] == []


COUNTED = 3
"""A value that was seen in so many exchanges may name its dialect alone: what was seen less may be an exception."""
FAMILIES = 4
"""A value is common if so many families of dialects have it. A parent and its children are one family."""
HEX = UUID.replace("-", "")
IDS = ("chatcmpl-123", f"chatcmpl-{UUID}", f"chatcmpl-{HEX}", f"chatcmpl-{HEX[:20]}", UUID, HEX, HEX[:8], ...)


class Sample(NamedTuple):
    """A value that a fact of a dialect accepts, in one kind of payload."""

    dialect: Dialect
    fact: Fact
    kind: str
    value: Any

    @property
    def is_signature(self) -> bool:
        """Return whether the fact was counted often enough, or is about a value that holds the name of the dialect."""
        schema, name = self.fact.schema or {}, _letters(self.dialect.slug)
        text = str(schema.get("const") or schema.get("pattern"))
        holds_name = f"/{self.dialect.slug}/" in text if self.fact.at == "model" else name in _letters(text)
        return holds_name or (self.fact.seen is not None and self.fact.seen[0] >= COUNTED)

    def __repr__(self) -> str:
        return f"{self.kind} {self.fact.at}: {'missing' if self.value is ... else json.dumps(self.value)[:60]}"


def _letters(text: str) -> str:
    return re.sub("[^a-z0-9]", "", text.lower())


@cache
def _samples() -> list[Sample]:
    """Return all values of all facts. They are not made while tests are collected, since it takes long."""
    return [
        Sample(dialect, fact, kind, value)
        for dialect in KNOWN
        if dialect.kind != "reference"
        for fact in (*dialect.deviations, *dialect.fingerprints)
        if fact.decides and not fact.inherited
        for kind in sorted(fact.kinds)
        for value in (
            [...] if isinstance(fact, Deviation) and fact.absent else values(fact.schema, str(fact.steps[-1]))
        )
    ]


BY_PATH: dict[tuple[str, str], list[tuple[Dialect, Fact]]] = defaultdict(list)
for _dialect in KNOWN:
    for _fact in (*_dialect.deviations, *_dialect.fingerprints):
        if _fact.decides:
            for _kind in _fact.kinds:
                BY_PATH[_kind, _fact.at].append((_dialect, _fact))


def _having(sample: Sample) -> list[Sample]:
    """Return the value as a sample of each fact of any dialect that accepts it at its path."""
    absent = sample.value is ...
    return [
        sample._replace(dialect=dialect, fact=fact)
        for dialect, fact in BY_PATH[sample.kind, sample.fact.at]
        if (isinstance(fact, Deviation) and fact.absent) == absent and (absent or fact.accepts(sample.value))
    ]


def _is_common(sample: Sample) -> bool:
    families = {next(iter(one.dialect.parents), one.dialect.slug) for one in _having(sample)}
    return sample.value in (..., "") or len(families) >= FAMILIES


def _plain(kind: str, id_: Any, end: str, *, sparse: bool) -> dict[str, Any]:
    """Return a plain completion or chunk. A sparse one leaves out what nearly all servers leave out."""
    content = {"role": "assistant", "content": "Hi."}
    message = {"delta": content} if kind == "chunk" else {"message": content | ({} if sparse else {"refusal": None})}
    choice = {"index": 0, **message, "finish_reason": end} | ({} if sparse else {"logprobs": None})
    kind_of_object = "chat.completion.chunk" if kind == "chunk" else "chat.completion"
    payload = {"id": id_, "object": kind_of_object, "created": 1780000000, "model": "my-model", "choices": [choice]}
    return {key: value for key, value in payload.items() if value is not ...}


def _stream(samples: Sequence[Sample], id_: Any, end: str, *, sparse: bool, where: slice) -> list[dict[str, Any]]:
    """Return a plain stream with these values in some chunks. Calls are in the first chunk, and usage in the last."""
    chunks = [_plain("chunk", id_, end, sparse=sparse) for _ in range(3)]
    for chunk, delta in zip(chunks[1:], ({"content": "Hi"}, {}), strict=True):
        chunk["choices"][0]["delta"] = delta
    for chunk in chunks[:2]:
        chunk["choices"][0]["finish_reason"] = None
    if end == "tool_calls":
        chunks[0]["choices"][0]["delta"]["tool_calls"] = [{"index": 0, **deepcopy(CALL)}]
    chunks.append(chunks[-1] | {"choices": [], "usage": dict(CONFORMING["usage"])})
    for one in samples:
        for chunk in chunks[3:] if _is_in(one, "usage") else chunks[:1] if _is_in(one, "tool_calls") else chunks[where]:
            put(chunk, one.fact.steps, one.value)
    return chunks if any(_is_in(one, "usage") for one in samples) else chunks[:3]


def _is_in(sample: Sample, name: str) -> bool:
    return name in sample.fact.steps


def _records(samples: Sequence[Sample], id_: Any, *, sparse: bool) -> Iterator[dict[str, Any]]:
    """Yield plain exchanges as records that have these values, which are all of one kind."""
    [kind] = {one.kind for one in samples}
    end = "tool_calls" if any(_is_in(one, "tool_calls") for one in samples) else "stop"
    plain = _plain("completion", id_, end, sparse=sparse) | {"usage": dict(CONFORMING["usage"])}
    if kind == "chunk":
        for where in (slice(3), slice(2, 3)):
            yield {"response": _stream(samples, id_, end, sparse=sparse, where=where)}
        return
    request = {"model": "my-model", "messages": [{"role": "user", "content": "Hi"}]}
    payload = {"completion": plain, "request": request, "error": {"error": dict(CONFORMING["error"])}}[kind]
    for one in samples:
        put(payload, one.fact.steps, one.value)
    if kind == "request":
        yield {"request": payload, "response": plain}
    else:
        yield {"response": payload, "status": 400 if kind == "error" else 200}


def _named(samples: Sequence[Sample], id_: Any, *, sparse: bool) -> Iterator[str]:
    """Yield the dialects that are named for plain answers with these values, though none of them is a signature."""
    signatures = {one.dialect.slug for sample in samples for one in _having(sample) if one.is_signature}
    for record in _records(samples, id_, sparse=sparse):
        speaks = EXPLAINER.explain(examined(**record)).speaks
        if speaks not in {"undetermined", "openai", *signatures}:
            yield speaks


def _ids(dialect: Dialect) -> list[Any]:
    """Return the ids that are no evidence against a dialect."""
    forms = [one for one in dialect.fingerprints if one.at == "id" and one.decides]
    return [one for one in IDS if one is not ... and any(form.accepts(one) for form in forms)] or [IDS[0]]


def test_every_value_is_accepted_by_its_fact() -> None:
    assert [one for one in _samples() if one.value is not ... and not one.fact.accepts(one.value)] == []


@given(st.deferred(lambda: st.sampled_from(_samples())), st.sampled_from(IDS), st.booleans())
@settings(deadline=None)
def test_one_value_names_its_dialect_only_if_it_was_counted_or_holds_the_name(
    sample: Sample, id_: Any, sparse: bool
) -> None:
    assert list(_named([sample], id_, sparse=sparse)) == []


@pytest.mark.thorough
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["completion", "chunk", "error", "request"])
def test_none_of_all_values_names_its_dialect_unless_it_was_counted_or_holds_the_name(kind: str, step: int) -> None:
    """Ids have the forms that are no evidence against the dialect."""
    of_kind = [one for one in _samples() if one.kind == kind]
    tried = list({(repr(one), id_): (one, id_) for one in of_kind for id_ in _ids(one.dialect)}.values())[::step]
    ways = (True, False) if kind == "completion" else (True,)
    assert [one for one in tried if any([*_named([one[0]], one[1], sparse=sparse)] for sparse in ways)] == []


@cache
def _common_pairs() -> list[tuple[Sample, Sample]]:
    """Return every two common values of a dialect that are at different paths in one kind of answer.

    Chunks that lack both ``choices`` and ``object`` are left out: they are no traffic of Chat Completions.
    """
    common: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for one in _samples():
        if one.kind in ("completion", "chunk") and _is_common(one):
            common[one.dialect.slug, one.kind].append(one)
    return [
        pair
        for samples in common.values()
        for pair in itertools.combinations(samples, 2)
        if not pair[0].fact.at.startswith(pair[1].fact.at) and not pair[1].fact.at.startswith(pair[0].fact.at)
        if {one.fact.at for one in pair if one.value is ...} != {"choices", "object"}
    ]


@given(st.deferred(lambda: st.sampled_from(_common_pairs())), st.sampled_from(IDS), st.booleans())
@settings(deadline=None)
def test_two_common_values_of_a_dialect_name_nobody(pair: tuple[Sample, Sample], id_: Any, sparse: bool) -> None:
    assert list(_named(pair, id_, sparse=sparse)) == []


@pytest.mark.slow
def test_no_two_of_all_common_values_of_a_dialect_name_anybody() -> None:
    tried = [(pair, id_) for pair in _common_pairs() for id_ in _ids(pair[0].dialect)]
    assert [one for one in tried if any([*_named(one[0], one[1], sparse=sparse)] for sparse in (True, False))] == []


FIXTURES = Path(__file__).parents[3] / "fixtures"
BROKEN = sorted({behaviour.rule for dialect in KNOWN for behaviour in dialect.behaviours})


@pytest.mark.thorough
def test_broken_rule_names_nobody() -> None:
    """Each rule that a dialect is known to break has fixtures that break this rule alone."""
    named = []
    for path in [path for rule in BROKEN for path in sorted(FIXTURES.glob(f"*/{rule}/invalid-*"))]:
        for exchange in read_all(path.read_bytes(), path.name):
            if isinstance(exchange, Exchange):
                named.append((str(path), EXPLAINER.explain(EXAMINER.examine(exchange)).speaks))
    assert [one for one in named if one[1] not in ("undetermined", "openai")] == []
    assert len(named) >= len(BROKEN)
