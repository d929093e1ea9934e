"""Test that what a capture does not show is no evidence: overwritten values, and what a copy leaves open."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from reading import exchange_in

from isogloss.validator import check, engines
from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.dialects.model import dialect, dialects
from isogloss.validator.dialects.payload_features import PayloadFeatures
from isogloss.validator.dialects.payloads import is_redacted_in
from isogloss.validator.judging.judge import Judge

JUDGE = Judge(engines.load(), explainer=AutoExplainer(dialects()))
FEATURES = PayloadFeatures(tuple(dialects()))
DIALECTS = Path(__file__).resolve().parents[3] / "fixtures" / "dialects"


def _completion(**properties: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "Hello.", "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {"object": "chat.completion", "created": 1767225600, "model": "m", "choices": [choice]} | properties


def _speaker(data: bytes, name: str) -> str | None:
    """Return the dialect that the only exchange of a capture speaks."""
    exchange = exchange_in(data, name)
    return JUDGE.judge(exchange).speaks


def test_overwritten_id_has_no_form_and_is_listed_as_overwritten() -> None:
    features = FEATURES.of([("completion", _completion(id="chatcmpl-REDACTED_1"))])
    assert ("completion", "id") not in dict(features.forms)
    assert ("completion", "id") in features.overwritten


def test_genuine_id_is_not_listed_as_overwritten() -> None:
    assert FEATURES.of([("completion", _completion(id="gen-1767225600-abc"))]).overwritten == frozenset()


def test_a_time_of_zero_is_overwritten_only_beside_an_overwritten_id() -> None:
    assert is_redacted_in(_completion(id="chatcmpl-REDACTED_1", created=0), "created", 0)
    assert not is_redacted_in(_completion(id="", created=0), "created", 0)
    assert not is_redacted_in(_completion(id="chatcmpl-REDACTED_1", created=1767225600), "created", 1767225600)


def test_attribution_does_not_depend_on_the_mask_of_the_id() -> None:
    bodies = [_completion(id=f"chatcmpl-{mask}", provider="Example") for mask in ("REDACTED_1", "***", "scrubbed")]
    results = [check(json.dumps(body).encode(), dialect="auto") for body in bodies]
    assert len({result.speaks for result in results}) == 1


def _evidence(slug: str, **changes: Any) -> set[tuple[str, str]]:
    """Return what is evidence on a dialect in the answer of its fixture with these changes, each with its relation."""
    body = json.loads((DIALECTS / slug / "completion.json").read_bytes())
    answer = body.get("response", body)
    attribution = JUDGE.judge(exchange_in(json.dumps(answer | changes).encode(), "answer.json")).attribution
    assert attribution is not None
    return {(one.what, one.how) for one in attribution.evidence(slug)}


@pytest.mark.parametrize("slug", ["mistral", "openrouter"])
def test_an_overwritten_id_is_evidence_neither_for_a_dialect_nor_against_it(slug: str) -> None:
    genuine, overwritten, other = (
        {how for what, how in _evidence(slug, **changes) if what.endswith(" id")}
        for changes in ({}, {"id": "[REDACTED]"}, {"id": "chatcmpl-ABcdef0123456789ABcdef0123456"})
    )
    assert genuine == {"known"}
    assert overwritten == set()
    assert other >= {"not seen"}


def test_a_property_with_an_overwritten_value_is_no_evidence() -> None:
    provider = "unknown-property at completion provider"
    assert (provider, "known") in _evidence("openrouter", provider="ExampleProvider")
    assert provider not in {what for what, _ in _evidence("openrouter", provider="[REDACTED]")}


def test_an_id_that_the_recorder_made_from_the_name_of_its_file_is_no_evidence() -> None:
    answer = json.loads((DIALECTS / "azure-own-data/completion.json").read_bytes()) | {"id": "rec-2286d2a6ffe3"}
    data = json.dumps(answer).encode()
    assert _speaker(data, "2286d2a6ffe3a9bbb55ef024d8b86626.json") == "azure-own-data"
    assert _speaker(data, "answer.json") == "undetermined"  # here, the id is that of another speaker


@pytest.mark.parametrize("slug", ["ollama", "xai", "llama-cpp"])
def test_line_of_a_log_speaks_the_same_dialect_as_the_answer_alone(slug: str) -> None:
    body = json.loads((DIALECTS / slug / "completion.json").read_text("utf-8"))
    text = json.dumps(body.get("response", body))
    log = f"2026-01-01 00:00:00 INFO answer: {text}\n"
    [in_log, alone] = [_speaker(log.encode(), "app.log"), _speaker(text.encode(), "answer.json")]
    assert in_log == alone == slug


def test_excerpt_of_a_stream_hides_what_its_end_may_show_but_not_what_was_left_out() -> None:
    facts = [one for known in dialects() for one in known.deviations]
    excerpt = FEATURES.of([("completion", _completion(id="x"))])._replace(unfinished=True)
    assert {absent: {excerpt.hides(one) for one in facts if one.absent is absent} for absent in (True, False)} == {
        True: {False},
        False: {True},
    }


def test_excerpt_of_a_stream_hides_whether_its_end_breaks_a_rule() -> None:
    behaviours = [one for known in dialects() for one in known.behaviours]
    excerpt = FEATURES.of([("completion", _completion(id="x"))])._replace(unfinished=True)
    hidden = {one.rule for one in behaviours if excerpt.hides(one)}
    assert {"choices-empty", "delta-after-finish", "finish-reason-repeated", "usage-on-choice-chunk"} <= hidden
    assert not {"role-repeated", "role-missing", "chunk-repeated", "stream-id-changed"} & hidden


@pytest.mark.parametrize(
    "hidden", [{}, {"dumped": True}, {"unfinished": True}, {"overwritten": frozenset({("completion", "id")})}]
)
def test_payloads_hide_facts_only_if_something_is_overwritten_dumped_or_unfinished(hidden: dict[str, Any]) -> None:
    features = FEATURES.of([("completion", _completion(id="x"))])._replace(**hidden)
    facts = [one for known in dialects() for one in (*known.deviations, *known.behaviours)]
    assert any(map(features.hides, facts)) is bool(hidden)


def test_copy_of_a_library_hides_what_was_left_out_and_what_was_null() -> None:
    features = FEATURES.of([("completion", _completion(id="x"))], dumped=True)
    facts = [one for known in dialects() for one in known.deviations]
    absent, null = (next(one for one in facts if one.absent), next(one for one in facts if one.accepts(None)))
    unknown = next(one for one in facts if not one.absent and not one.accepts(None))
    assert (features.hides(absent), features.hides(null), features.hides(unknown)) == (True, True, False)
    as_sent = FEATURES.of([("completion", _completion(id="x"))])
    assert not as_sent.hides(absent)


def test_what_a_library_filled_in_is_no_evidence_against_a_dialect_that_leaves_it_out() -> None:
    exchange = exchange_in((DIALECTS.parent / "conforming/completion/text.json").read_bytes(), "answer.json")
    absent = "completion choices[].message.refusal absent"
    for dumped in (False, True):
        attribution = JUDGE.judge(replace(exchange, dumped=dumped)).attribution
        assert attribution is not None
        assert (absent in {one.what for one in attribution.evidence("baseten")}) is not dumped


@pytest.mark.parametrize(
    ("slug", "rule", "end", "last", "is_evidence"),
    [
        ("transformers-serve", "done-missing", "stop", "", True),
        ("snowflake", "finish-reason-missing", None, "data: [DONE]\n\n", True),
        ("snowflake", "finish-reason-missing", None, "", False),
    ],
)
def test_missing_end_is_evidence_only_of_a_stream_that_was_captured_to_its_end(
    slug: str, rule: str, end: str | None, last: str, is_evidence: bool
) -> None:
    choice = {"index": 0, "delta": {"role": "assistant", "content": "Ho"}, "logprobs": None, "finish_reason": end}
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 1767225600, "model": "m", "choices": [choice]}
    exchange = exchange_in(f"data: {json.dumps(chunk)}\n\n{last}", "s.sse")
    attribution = JUDGE.judge(exchange).attribution
    assert attribution is not None
    evidence = {one.what for one in attribution.evidence(slug) if one.how == "known"}
    assert any(what.startswith(rule) for what in evidence) is is_evidence


def _excerpts() -> Iterator[tuple[Path, list[str]]]:
    """Yield the beginning of each stream in the fixtures of dialects that has chunks before the last ones."""
    for path in sorted(DIALECTS.glob("*/stream*.sse")):
        events = [event for event in path.read_text("utf-8").split("\n\n") if event.startswith("data: {")]
        beginning = [event for event in events if '"choices"' in event and '"finish_reason":"' not in event]
        if len(beginning) > 1 and len(beginning) < len(events):
            yield path, beginning


def test_excerpt_of_a_stream_misses_nothing_that_shows_at_the_end() -> None:
    """Documentation quotes the first chunks of a stream: these show neither usage nor the way the stream ends."""
    excerpts = list(_excerpts())
    assert len(excerpts) > 50
    for path, beginning in excerpts:
        slug = path.parent.name
        exchange = exchange_in("\n\n".join([*beginning, ""]).encode(), "s.sse")
        attribution = JUDGE.judge(exchange).attribution
        assert attribution is not None
        missed = {one.what for one in attribution.evidence(slug) if one.how == "not seen"}
        assert not [what for what in missed if what.startswith(("usage-", "done-", "finish-reason-"))], path
        assert not missed.intersection(one.title for one in dialect(slug).deviations if not one.absent), path


def test_null_holder_misses_no_fact_about_its_members() -> None:
    fact = next(one for known in dialects() for one in known.deviations if one.at == "choices[].logprobs.refusal")
    holder = (min(fact.kinds - {"request"}), "choices[].logprobs")
    choice = {"index": 0, "delta": {"content": "a"}, "message": {"content": "a"}}
    for logprobs, is_there in ((None, False), ({"content": []}, True)):
        payload = {"choices": [choice | {"logprobs": logprobs}]}
        assert (holder in FEATURES.of([(holder[0], payload)]).present) is is_there
