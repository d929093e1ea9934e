"""Who is named, who is only nearest, and that a remembered attribution is the one made anew."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from speaking import EXAMINER, UUID, completion, examined, small_world

from isogloss.validator import captures
from isogloss.validator.dialects.attribution import Attribution
from isogloss.validator.dialects.model import dialects
from isogloss.validator.dialects.speakers import AutoSpeaker
from isogloss.validator.examining.examined import Examined
from isogloss.validator.exchange import Exchange

FIXTURES = Path(__file__).parents[3] / "fixtures"
KNOWN = list(dialects())
REAL = AutoSpeaker(KNOWN)
SMALL = AutoSpeaker(small_world())
RUNNING_VLLM = sorted(one.slug for one in KNOWN if "vllm" in one.parents)

OPENAI = {"id": "chatcmpl-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wX", "model": "gpt-4o-mini", "system_fingerprint": "fp_3f2b8c1e9a"}
MOCK: dict[str, Any] = {
    "id": "chatcmpl-123",
    "model": "gpt-4o",
    "message": {"refusal": ...},
    "choice": {"logprobs": ...},
}
GROQ = {
    "id": f"chatcmpl-{UUID}", "model": "llama-3.3-70b-versatile", "x_groq": {"id": "req_01"},
    "service_tier": "on_demand", "usage_breakdown": None, "message": {"refusal": ...},
    "more_usage": {"queue_time": 0.1, "prompt_time": 0.1, "completion_time": 0.1, "total_time": 0.3},
}  # fmt: skip
ALPHA = {"id": "alpha-1", "model": "alpha-1", "alpha_tag": "t"}
CALL = {"id": "x", "type": "function", "index": 0, "function": {"name": "f", "arguments": "{}"}}


def attribution(speaker: AutoSpeaker, found: Examined) -> Attribution:
    """Return the attribution of an exchange."""
    made = speaker.explain(found).attribution
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("members", "host", "speaks", "tied"),
    [
        # plain payloads and mocks are OpenAI's or nobody's
        (OPENAI, None, "undetermined", ("openai",)),
        (OPENAI, "api.openai.com", "openai", ("openai",)),
        ({"model": "gpt-4o"}, None, "undetermined", ("openai",)),
        ({"model": "gpt-4o"}, "api.groq.com", "undetermined", ("openai",)),
        ({}, None, "undetermined", None),
        ({"id": "chatcmpl-123", "model": "gpt-4o"}, None, "undetermined", ("openai",)),
        (MOCK, None, "undetermined", ("ollama", "classic-2023")),
        (MOCK | {"choice": {"logprobs": ..., "finish_reason": "eos"}}, None, "undetermined", ("classic-2023",)),
        # one fact that many could show names nobody, whatever the host
        (MOCK | {"message": {"tool_calls": [CALL], "refusal": ...}}, "llm.api.cloud.yandex.net", "undetermined", None),
        # the examples of the documents that dialects were written from
        (MOCK | {"model": "gpt-3.5-turbo-0613", "system_fingerprint": "fp_44709d6fcb"}, None, "undetermined",
         ("openai", "classic-2023")),
        (MOCK | {"message": {"reasoning_content": "So"}}, None, "undetermined",
         ("reasoning-content", "openvino-model-server")),
        (MOCK | {"id": UUID, "model": "step-3.5-flash"}, None, "undetermined",
         ("stepfun", "localai", "transformers-serve", "envoy-ai-gateway")),
        # what vendors show
        (GROQ, None, "groq", ("groq",)),
        (GROQ, "api.groq.com", "groq", ("groq",)),
        ({"id": "gen-1760000000-Ab3dEf6hIj9kLm2nOp5q", "model": "openai/gpt-4o", "provider": "OpenAI",
          "choice": {"native_finish_reason": "stop"}}, None, "openrouter", ("openrouter",)),
        ({"id": f"chatcmpl-{UUID.replace('-', '')}", "model": "org/model-7b", "prompt_logprobs": None,
          "kv_transfer_params": None, "choice": {"stop_reason": None, "token_ids": None}}, None, "vllm",
         ("vllm", *RUNNING_VLLM)),
    ],
)  # fmt: skip
def test_a_dialect_is_named_where_that_is_sure_and_nearest_elsewhere(
    members: dict[str, Any], host: str | None, speaks: str, tied: tuple[str, ...] | None
) -> None:
    found = attribution(REAL, examined(completion(**copy.deepcopy(members)), host))
    assert (found.speaks, found.sure) == (speaks, speaks != "undetermined")
    assert tied is None or found.tied == tied


@pytest.mark.parametrize(
    "body",
    [{"error": {"message": "No"}}, {"error": "blocked"}, {"detail": "No"}, {"error": {"message": "No", "code": 400}},
     {"error": {"message": "No", "type": "invalid_request_error"}}],
)  # fmt: skip
def test_an_error_body_that_anybody_could_send_names_nobody(body: dict[str, Any]) -> None:
    assert attribution(REAL, examined(body, status=400)).speaks == "undetermined"


def test_a_body_that_is_not_json_names_nobody() -> None:
    data = b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\n\r\n<html><h1>502 Bad Gateway</h1></html>"
    for one in captures.read(captures.Capture(io.BytesIO(data), "answer.http")):
        assert isinstance(one, Exchange)
        assert attribution(REAL, EXAMINER.examine(one)).speaks == "undetermined"


@pytest.mark.parametrize(
    ("members", "host", "speaks", "nearest"),
    [
        # a mark of its own, and much else; the same and something that it is not known for; more of that, which
        # somebody unknown in front of it may have added; a little less
        (ALPHA | {"more_usage": {"alpha_units": 1}}, None, "alpha", "alpha"),
        (ALPHA | {"more_usage": {"alpha_units": 1}, "warp": 1}, None, "alpha", "alpha"),
        (ALPHA | {"more_usage": {"alpha_units": 1}, "warp": 1, "weft": 2, "loom": 3}, None, "undetermined", "alpha"),
        (ALPHA, None, "undetermined", "alpha"),
        ({"id": "alpha-1", "model": "alpha-1", "more_usage": {"alpha_units": 1}}, None, "undetermined", "alpha"),
        ({"id": "alpha-1", "model": "alpha-1"}, None, "undetermined", "reference"),
        # marks in one group; many observations in one group that are no marks; the same in two groups
        ({f"iota_{number}": "i" for number in range(3)}, None, "iota", "iota"),
        ({f"k{number}": "k" for number in range(12)}, None, "undetermined", "kappa"),
        ({f"k{number}": "k" for number in range(12)} | {"more_usage": {"weak": "k"}}, None, "undetermined", "kappa"),
        ({f"k{number}": "k" for number in range(6)} | {"more_usage": {f"k{number}": "k" for number in range(6)}}, None,
         "kappa", "kappa"),
        # what a gateway passes on does not tell it from what is behind it, its own fact does
        ({"alpha_tag": "t", "id": "alpha-1", "model": "alpha-1"}, None, "undetermined", "alpha"),
        ({"gamma_route": "r", "alpha_tag": "t"}, None, "undetermined", "gamma"),
        # one fact of a source, documentation or a shape names nobody
        ({"beta_stats": {}}, None, "undetermined", "beta"),
        ({"delta_note": "n"}, None, "undetermined", "delta"),
        ({"sigma_shape": "s", "more_usage": {"sigma": "s", "shape": "s"}}, None, "undetermined", "sigma"),
        # a host names its owner where nothing speaks against that, and a body that is surely another's contradicts it
        ({"alpha_tag": "t", "id": "alpha-1", "model": "alpha-1"}, "api.alpha.example", "alpha", "alpha"),
        ({}, "api.alpha.example", "undetermined", "reference"),
        ({"warp": 1}, "api.reference.example", "reference", "reference"),
        (ALPHA | {"more_usage": {"alpha_units": 1}}, "api.reference.example", "alpha", "alpha"),
    ],
)  # fmt: skip
def test_a_name_needs_confidence_and_a_mark(
    members: dict[str, Any], host: str | None, speaks: str, nearest: str
) -> None:
    found = attribution(SMALL, examined(completion(**copy.deepcopy(members)), host))
    assert (found.speaks, found.nearest.slug) == (speaks, nearest), found.candidates[:3]


def test_a_sure_speaker_at_anothers_host_contradicts_it_and_the_exchange_is_left_as_it_was() -> None:
    found = examined(completion(**copy.deepcopy(GROQ)), "api.deepseek.com")
    before = list(found.hits)
    explained = REAL.explain(found)
    assert found.hits == before
    assert explained.hits[-1].rule == "host-contradicted"
    assert len(explained.explained_by) == len(before) + 1
    assert explained.attribution is not None
    assert explained.attribution.contradicts == "deepseek"


def test_nothing_is_explained_where_nobody_is_named() -> None:
    sure = REAL.explain(examined(completion(**copy.deepcopy(GROQ))))
    assert ("groq",) in sure.explained_by
    assert set(sure.explained_by) <= {("groq",), ()}
    unsure = REAL.explain(examined(completion(**copy.deepcopy(MOCK))))
    assert unsure.speaks == "undetermined"
    assert unsure.explained_by
    assert not any(unsure.explained_by)


# Memory


def test_what_only_another_dialect_explains_stays_unexplained() -> None:
    found = examined(completion(**ALPHA, more_usage={"alpha_units": 1}, beta_stats={}), "api.alpha.example")
    explained = SMALL.explain(found)
    assert explained.speaks == "alpha"
    by = {one.hit.pointer: slugs for one, slugs in zip(explained.hits, explained.explained_by, strict=True)}
    assert by[("alpha_tag",)] == ("alpha",)
    assert by[("beta_stats",)] == ()


def told(speaker: AutoSpeaker, found: Examined) -> object:
    """Return the whole result for an exchange, with the evidence about the likeliest candidates."""
    explained = speaker.explain(found)
    made = explained.attribution
    assert made is not None
    evidence = [(one.slug, made.evidence(one.slug)) for one in made.candidates[:3]]
    return explained.speaks, made, made.tied, evidence, explained.explained_by, explained.hits


@pytest.mark.parametrize(
    ("one", "one_host", "other", "other_host"),
    [
        ({}, None, {}, "api.openai.com"),
        ({"model": "gpt-4o"}, None, {"model": "step-1"}, None),
        ({"x_groq": {"id": "r"}}, None, {}, None),
        ({}, None, {"more_usage": {"prompt_tokens_details": {"cached_tokens": 0}}}, None),
        ({"choice": {"finish_reason": "eos"}}, None, {"choice": {"finish_reason": "error"}}, None),
    ],
    ids=["host", "forms", "findings", "places", "explaining facts"],
)
def test_what_is_remembered_is_told_apart_by_all_that_counts(
    one: dict[str, Any], one_host: str | None, other: dict[str, Any], other_host: str | None
) -> None:
    answers = examined(completion(**one), one_host), examined(completion(**other), other_host)
    remembering, forgetful = AutoSpeaker(KNOWN), AutoSpeaker(KNOWN, remember=False)
    made = [told(forgetful, answer) for answer in answers]
    assert made[0] != made[1]
    assert [told(remembering, answer) for answer in answers] == made


def fixtures() -> list[Examined]:
    """Return the answers of the fixtures of dialects, examined."""
    found = []
    for path in sorted((FIXTURES / "dialects").glob("*/*")):
        for one in captures.read(captures.Capture(io.BytesIO(path.read_bytes()), path.name)):
            if isinstance(one, Exchange) and one.response is not None:
                found.append(EXAMINER.examine(one))
    return found


@pytest.mark.thorough
def test_what_is_remembered_of_the_fixtures_is_what_is_made_anew() -> None:
    remembering, forgetful = AutoSpeaker(KNOWN), AutoSpeaker(KNOWN, remember=False)
    answers = fixtures()
    made = [told(forgetful, found) for found in answers]
    for _ in range(2):
        assert [told(remembering, found) for found in answers] == made


BODIES = [
    body
    for path in sorted((FIXTURES / "dialects").glob("*/*.json"))
    for body in [json.loads(path.read_text()).get("response")]
    if isinstance(body, dict) and "choices" in body
]
MIXED = AutoSpeaker(KNOWN)
FORGETFUL = AutoSpeaker(KNOWN, remember=False)


@settings(max_examples=2 * settings().max_examples)
@given(
    st.sampled_from(BODIES),
    st.sampled_from(BODIES),
    st.randoms(use_true_random=False),
    st.sampled_from([None, "api.groq.com", "api.openai.com", "localhost"]),
)
def test_what_is_remembered_of_mixtures_of_dialects_is_what_is_made_anew(
    one: dict[str, Any], other: dict[str, Any], chance: Any, host: str | None
) -> None:
    data = json.dumps({"host": host, "response": _mixed(one, other, chance)}).encode()
    exchanges = list(captures.read(captures.Capture(io.BytesIO(data), "record.json")))
    assume(all(isinstance(exchange, Exchange) for exchange in exchanges))
    [found] = map(EXAMINER.examine, exchanges)
    assert told(MIXED, found) == told(FORGETFUL, found)


def _mixed(one: Any, other: Any, chance: Any) -> Any:
    """Return a payload with properties of one payload and of another, mixed at any depth."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        if isinstance(one, list) and isinstance(other, list) and one and other:
            return [_mixed(one[0], other[0], chance)]
        return copy.deepcopy(chance.choice([one, other]))
    names = [name for name in {**one, **other} if name == "choices" or chance.random() < 0.8]
    return {
        name: _mixed(one[name], other[name], chance) if name in one and name in other else {**one, **other}[name]
        for name in names
    }


# The fixtures of the dialects

BEHIND = {
    "huggingface": {"together", "vllm", "groq", "cerebras", "fireworks"},
    "azure-ai-inference": {"azure-openai"},
    "github-copilot": {"azure-openai"},
    "venice": {"vllm"},
    "baseten": {"dynamo"},
    "tensorrt-llm": {"vllm"},
}
"""Whose answers a gateway hands on as they are, or whose protocol a server has as its own."""

HOSTLESS = AutoSpeaker(KNOWN, hosts=False)


OTHERS = [one for one in KNOWN if one.kind != "reference"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "dialect",
    [pytest.param(one, marks=pytest.mark.slow if number % 3 else (), id=one.slug) for number, one in enumerate(OTHERS)],
)
def test_answers_of_a_dialect_are_surely_nobody_elses_with_or_without_its_file(dialect: Any) -> None:
    inheriting = {one.slug for one in KNOWN if dialect.slug in one.parents}
    others = AutoSpeaker([one for one in KNOWN if one.slug not in {dialect.slug} | inheriting], hosts=False)
    behind = BEHIND.get(dialect.slug, set())
    for path in sorted((FIXTURES / "dialects" / dialect.slug).iterdir()):
        for one in captures.read(captures.Capture(io.BytesIO(path.read_bytes()), path.name)):
            if isinstance(one, Exchange) and one.response is not None:
                found = EXAMINER.examine(one)
                known = {dialect.slug, "undetermined", *dialect.parents} | behind
                assert attribution(HOSTLESS, found).speaks in known, path.name
                assert attribution(others, found).speaks in known, path.name
