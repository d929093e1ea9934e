"""Test that faults which users reported in public threads are found: each capture names its thread as its source.

A row of the table is a case of `fixtures/threads`, the dialect that it is checked against, and the rules that must find
something in it, with their severities. ``nothing`` means that a single exchange does not show a fault, or that OpenAI
does the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from payloads import as_events

from isogloss.validator import check, rules
from isogloss.validator.findings import Severity

FOLDER = Path(__file__).parents[2] / "fixtures" / "threads"

TABLE = """
kimi-markup-in-content              | openai   | markup-in-content error
tool-call-markup-in-content         | openai   | markup-in-content error
call-as-bare-json                   | openai   | call-as-text warning
harmony-channels-in-content         | openai   | markup-in-content warning
tool-name-with-channel              | openai   | tool-call-name-malformed error
tool-name-with-channel-and-request  | openai   | tool-call-name-malformed error
dsml-in-arguments                   | openai   | markup-in-content warning
think-in-content                    | openai   | thoughts-in-content warning
orphan-think-beside-reasoning       | openai   | thoughts-in-content warning
emoji-split                         | openai   | replacement-character warning
cut-character-at-the-limit          | openai   | replacement-character warning
end-of-turn-marker                  | openai   | markup-in-content warning
remnant-of-call-text                | openai   | markup-in-content warning
cut-arguments-with-tool-calls       | openai   | length-masked error
limit-reached-with-tool-calls       | openai   | length-masked warning
limit-reached-with-stop             | openai   | length-masked warning
two-answers-with-one-id             | openai   | nothing
history-id-in-two-turns             | openai   | tool-call-id-reused warning
answer-reuses-id-of-history         | openai   | tool-call-id-of-history warning
reasoning-outside-completion-tokens | openai   | usage-detail-above-total warning, usage-zero warning
usage-all-zero                      | openai   | usage-zero warning
completion-tokens-zero              | openai   | usage-zero warning
reasoning-tokens-zero               | openai   | reasoning-tokens-zero warning
prompt-tokens-without-cached        | openai   | usage-detail-above-total warning
overflow-answered-500               | openai   | context-overflow-unmarked warning
error-code-is-an-integer            | openai   | wrong-type error, context-overflow-unmarked warning
overflow-as-event-in-a-stream       | openai   | error-in-stream error
error-is-a-string                   | openai   | error-shape error
error-body-is-an-array              | openai   | error-shape error
problem-details                     | openai   | error-shape error
finish-reason-error                 | openai   | unknown-value error
all-null-answer-in-provider         | openai   | null-value error
name-null-as-text                   | openai   | tool-call-name-repeated error, tool-call-fragment-id-empty warning
first-name-empty                    | openai   | tool-call-name-missing warning
name-empty-on-continuations         | openai   | tool-call-fragment-name-empty warning
arguments-html-escaped              | openai   | arguments-html-escaped warning
an-object-per-chunk                 | openai   | arguments-concatenated error
arguments-encoded-twice             | openai   | arguments-not-object warning
arguments-empty                     | openai   | arguments-empty warning
two-calls-both-index-0              | openai   | tool-call-index-reused error
integers-as-strings                 | openai   | arguments-off-schema warning
content-and-calls-interleaved       | openai   | markup-in-content warning
each-delta-repeats-the-text         | openai   | content-cumulative error
usage-after-done                    | openai   | data-after-done error
usage-on-the-finish-chunk           | openai   | usage-on-choice-chunk warning
usage-chunk-with-choices            | openai   | usage-on-choice-chunk warning
usage-on-every-chunk                | openai   | usage-repeated warning
no-finish-reason                    | openai   | finish-reason-missing error
usage-chunk-without-envelope        | openai   | missing-property error
created-in-milliseconds-no-choices  | openai   | missing-property error
another-model                       | openai   | model-not-asked-for note
service-tier-standard               | openai   | unknown-value warning
empty-content-beside-reasoning      | openai   | answer-missing warning
null-content-answer-in-reasoning    | openai   | answer-missing warning
stream-of-reasoning-alone           | openai   | answer-missing warning
empty-answer                        | openai   | answer-missing warning
stream-without-a-word               | openai   | answer-missing warning
reasoning-chunks-without-logprobs   | openai   | nothing
multi-byte-token-empty              | openai   | logprobs-text-mismatch warning
top-logprobs-are-ids                | openai   | top-logprobs-sampled-missing warning
top-logprobs-not-descending         | openai   | top-logprobs-order warning
logprobs-missing-in-stream          | openai   | logprobs-missing warning
history-without-thought-signature   | gemini   | dialect-restriction warning
history-without-reasoning-content   | moonshot | dialect-restriction warning
history-with-cut-arguments          | openai   | history-arguments-not-json warning
message-with-empty-content          | bedrock  | dialect-restriction warning
system-in-parts-and-late            | openai   | nothing
tool-message-without-id             | openai   | missing-property error
tool-name-with-a-dot                | openai   | tool-call-name-malformed error
stream-says-tool-calls-for-length   | openai   | arguments-not-json warning
reasoning-twice                     | openai   | unknown-property note
reasoning-renamed                   | openai   | unknown-property note
content-begins-with-newlines        | openai   | nothing
model-is-a-path                     | openai   | model-is-path note
json-in-a-fence                     | openai   | content-not-json error
json-schema-not-enforced            | openai   | content-off-schema note
tool-choice-none-ignored            | openai   | markup-in-content error
"""

ROWS = [[cell.strip() for cell in line.split("|")] for line in TABLE.strip().splitlines()]
CASES = [
    pytest.param(
        name, dialect, [] if found == "nothing" else [tuple(part.split()) for part in found.split(", ")], id=name
    )
    for name, dialect, found in ROWS
]


def find_rules(capture: Any, dialect: str = "openai") -> set[tuple[str, str]]:
    return {(finding.rule, finding.severity.label) for finding in check(capture, dialect=dialect).findings}


def test_every_capture_is_in_the_table_and_names_its_thread() -> None:
    assert sorted(name for name, _, _ in ROWS) == sorted(path.stem for path in FOLDER.iterdir())
    for path in FOLDER.iterdir():
        assert json.loads(path.read_bytes())["source"].startswith("https://github.com/")


@pytest.mark.parametrize(("name", "dialect", "expected"), CASES)
def test_reported_fault_is_found(name: str, dialect: str, expected: list[tuple[str, str]]) -> None:
    found = find_rules((FOLDER / f"{name}.json").read_bytes(), dialect)
    assert set(expected) <= found
    if not expected:
        assert not [rule for rule, severity in found if severity != Severity.NOTE.label]


def _as_stream(record: dict[str, Any], size: int) -> str:
    """Return the answer of a record as a stream. Each delta holds at most `size` characters of text."""

    def events() -> Iterator[dict[str, Any]]:
        answer = record["response"]
        envelope = {name: value for name, value in answer.items() if name not in ("choices", "usage")}
        envelope["object"] = "chat.completion.chunk"
        choice = answer["choices"][0]
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "" if choice["message"]["content"] else None}]
        for name, value in choice["message"].items():
            if name in ("content", "reasoning", "reasoning_content") and value:
                deltas += [{name: value[start : start + size]} for start in range(0, len(value), size)]
        for index, call in enumerate(choice["message"].get("tool_calls") or []):
            text = call["function"]["arguments"]
            deltas.append({"tool_calls": [{**call, "index": index, "function": {**call["function"], "arguments": ""}}]})
            for start in range(0, len(text), size):
                deltas.append({"tool_calls": [{"index": index, "function": {"arguments": text[start : start + size]}}]})
        for delta, finish in [*((delta, None) for delta in deltas), ({}, choice["finish_reason"])]:
            yield {**envelope, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}
        yield {**envelope, "choices": [], "usage": answer["usage"]}

    return as_events(*events(), "[DONE]")


def _can_be_streamed(name: str) -> bool:
    """Return whether the answer of a case is one completion, without log probabilities."""
    record = json.loads((FOLDER / f"{name}.json").read_bytes())
    return "response" in record and not record["response"]["choices"][0].get("logprobs")


COMPLETION_CASES = [
    case
    for case in CASES
    if case.values[2]
    and all(rules.group_of(rule) in ("completion", "pair") for rule, _ in case.values[2])
    and _can_be_streamed(case.values[0])
]


@pytest.mark.parametrize(("name", "dialect", "expected"), COMPLETION_CASES)
@pytest.mark.parametrize("size", [1, 7])
def test_fault_found_in_a_completion_is_found_in_its_stream(
    name: str, dialect: str, expected: list[tuple[str, str]], size: int
) -> None:
    record = json.loads((FOLDER / f"{name}.json").read_bytes())
    record["sse"] = _as_stream(record, size)
    record.pop("response")
    record["content_type"] = "text/event-stream"
    if "request" in record:
        record["request"] |= {"stream": True, "stream_options": {"include_usage": True}}
    assert set(expected) <= find_rules(record, dialect)
