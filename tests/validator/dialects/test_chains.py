"""Test pairs of a dialect and one that it relays: when both are named, and which findings each of them explains."""

from __future__ import annotations

import copy
import json
from math import exp
from pathlib import Path
from typing import Any

import pytest
from dialect_examples import (
    EXAMINER,
    KNOWN,
    REAL_EXPLAINER,
    UUID,
    completion,
    counted_deviation,
    examined,
    invented_dialect,
    invented_dialects,
)
from hypothesis import given
from hypothesis import strategies as st
from payloads import as_events
from reading import exchange_in, read_all

from isogloss.validator.dialects.attribution import Attribution
from isogloss.validator.dialects.explainers import AutoExplainer, ExplainedHits
from isogloss.validator.dialects.model import Dialect
from isogloss.validator.exchange import Exchange

FIXTURES = Path(__file__).parents[3] / "fixtures/dialects"

AZURE_FILTERS = {"hate": {"filtered": False, "severity": "safe"}}
AZURE: dict[str, Any] = {
    "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": AZURE_FILTERS}],
    "choice": {"content_filter_results": AZURE_FILTERS},
}
COPILOT: dict[str, Any] = {
    **AZURE, "model": "gpt-4o-2024-11-20", "object": ..., "created": ..., "copilot_usage": {"total_nano_aiu": 1},
    "message": {"padding": "ab", "refusal": ...}, "choice": {**AZURE["choice"], "logprobs": ...},
    "more_usage": {"reasoning_tokens": 0},
}  # fmt: skip
TOGETHER: dict[str, Any] = {
    "id": "oCRcPxn-2j9zxn-9c4ac64e0e2f9a1b", "model": "meta-llama/Llama-3.3-70B", "prompt": [],
    "message": {"refusal": ..., "tool_calls": []}, "choice": {"seed": 1}, "more_usage": {"cached_tokens": 0},
}  # fmt: skip
GROQ: dict[str, Any] = {
    "id": f"chatcmpl-{UUID}", "model": "llama-3.3-70b-versatile", "x_groq": {"id": "req_01"},
    "service_tier": "on_demand", "usage_breakdown": None, "message": {"refusal": ...},
    "more_usage": {"queue_time": 0.1, "prompt_time": 0.1, "completion_time": 0.1, "total_time": 0.3},
}  # fmt: skip
XAI: dict[str, Any] = {
    "id": UUID, "created": 1772000000, "model": "grok-4", "system_fingerprint": "fp_3f2b8c1e9a",
    "choice": {"logprobs": ...},
    "message": {"reasoning_content": "So"}, "more_usage": {"num_sources_used": 0, "cost_in_usd_ticks": 123},
}  # fmt: skip
VENICE: dict[str, Any] = {
    "id": "chatcmpl-REDACTED_1", "created": 0, "cost": {"usd": 0.1, "diem": 0.1}, "venice_parameters": {},
    "prompt_logprobs": None, "kv_transfer_params": None, "prompt_token_ids": None,
    "choice": {"stop_reason": None, "token_ids": None},
    "message": {"refusal": None, "annotations": None, "function_call": None, "reasoning_content": None,
                "tool_calls": []},
}  # fmt: skip
OPENROUTER: dict[str, Any] = {
    "id": "gen-1760000000-Ab3dEf6hIj9kLm2nOp5q", "model": "openai/gpt-4o", "provider": "OpenAI",
    "choice": {"native_finish_reason": "stop"},
}  # fmt: skip
DATABRICKS: dict[str, Any] = {
    "id": "msg_bdrk_01CUa5dm5VYh57HQ3ZgPykcg", "model": "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
    "message": {"refusal": ..., "content": None}, "choice": {"logprobs": ...},
    "more_usage": {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0},
}  # fmt: skip
VLLM: dict[str, Any] = {
    "id": "chatcmpl-c4a0368440373c581c8d776f596ed524", "model": "org/model-7b", "prompt_logprobs": None,
    "system_fingerprint": None, "service_tier": None, "choice": {"stop_reason": None},
    "message": {"refusal": None, "audio": None, "function_call": None, "reasoning_content": None, "tool_calls": []},
    "more_usage": {"prompt_tokens_details": None, "completion_tokens_details": None},
}  # fmt: skip
STRANGE: dict[str, Any] = {"warp": 1, "weft": 2, "more_usage": {"loom": 3}, "choice": {"shuttle": 4}}


def explain_completion(
    properties: dict[str, Any], host: str | None = None, explainer: AutoExplainer = REAL_EXPLAINER
) -> ExplainedHits:
    """Explain a completion with these properties, and return the result."""
    return explainer.explain(examined(completion(**copy.deepcopy(properties)), host))


def attribution(explained: ExplainedHits) -> Attribution:
    """Return the attribution in the result, which must have one."""
    assert explained.attribution is not None
    return explained.attribution


@pytest.mark.parametrize(
    ("properties", "host", "chain", "tied"),
    [
        # the relayed dialect shows at the host of the gateway, or beside marks of the gateway
        (TOGETHER, "router.huggingface.co", ("huggingface", "together"), ("huggingface",)),
        (GROQ, "router.huggingface.co", ("huggingface", "groq"), ("huggingface",)),
        # one mark and much other evidence name a server alone, and behind the gateway at its host
        (VLLM, None, ("vllm",), None),
        (VLLM, "router.huggingface.co", ("huggingface", "vllm"), ("huggingface",)),
        (XAI, "models.inference.ai.azure.com", ("azure-ai-inference", "xai"), None),
        (XAI, "api.x.ai", ("xai",), None),
        (COPILOT, None, ("github-copilot", "azure-openai"), ("github-copilot",)),
        (COPILOT, "api.githubcopilot.com", ("github-copilot", "azure-openai"), ("github-copilot",)),
        (VENICE, "api.venice.ai", ("venice", "vllm"), ("venice",)),
        # one dialect alone: no gateway shows, no relayed dialect shows, or the owner of the host relays none
        (TOGETHER, None, ("together",), ("together",)),
        (GROQ, "api.groq.com", ("groq",), ("groq",)),
        (GROQ, "api.deepseek.com", ("groq",), ("groq",)),
        (OPENROUTER, None, ("openrouter",), ("openrouter",)),
        (OPENROUTER, "openrouter.ai", ("openrouter",), ("openrouter",)),
        # the gateway that owns the host does not relay this dialect
        (GROQ, "api.githubcopilot.com", ("groq",), ("groq",)),
        # a gateway that relays any dialect is not named for properties that no dialect has
        (STRANGE, None, (), None),
        (STRANGE | {"model": "org/model-7b"}, "gateway.example", (), None),
    ],
)  # fmt: skip
def test_gateway_and_relayed_dialect_are_both_named_if_both_show(
    properties: dict[str, Any], host: str | None, chain: tuple[str, ...], tied: tuple[str, ...] | None
) -> None:
    found = attribution(explain_completion(properties, host))
    assert found.chain == chain, [found.candidates[:3], found.stranger]
    assert found.sure == bool(chain)
    assert (found.relayed.slug if found.relayed else None) == (chain[1] if len(chain) > 1 else None)
    assert tied is None or found.tied == tied


def test_gateway_alone_is_named_if_two_dialects_may_be_behind_it() -> None:
    by_slug = {dialect.slug: dialect for dialect in KNOWN}
    router = by_slug["huggingface"]
    relays = router.relays if isinstance(router.relays, str) else [*router.relays, "twin"]
    twin = Dialect(by_slug["groq"].data | {"slug": "twin", "hosts": []})
    others = [dialect for dialect in KNOWN if dialect is not router]
    explainer = AutoExplainer([*others, Dialect(router.data | {"relays": relays}), twin])
    found = attribution(explain_completion(GROQ, "router.huggingface.co", explainer))
    assert found.chain == ("huggingface",)
    assert found.relayed is None


ROUTED: dict[str, Any] = {
    "tag": "t", "choice": {"tag": "t"}, "message": {"refusal": None, "route": "r"}, "more_usage": {"tag": "t"}
}  # fmt: skip


def _routed(*behind: Dialect, host: str | None = None, **more: Any) -> Attribution:
    """Return the attribution of an answer through a gateway, which each of these dialects may have sent.

    ``more`` are more properties of its message.
    """
    front = invented_dialect(
        "front",
        kind="gateway",
        relays=[dialect.slug for dialect in behind],
        hosts=["api.front.example"],
        deviations=[counted_deviation("choices[].message.route", 1000, 1000)],
    )
    routed = ROUTED | {"message": ROUTED["message"] | more}
    return attribution(explain_completion(routed, host, AutoExplainer([front, *behind, *KNOWN])))


def _behind_a_gateway(*behind: Dialect) -> str | None:
    """Return the slug of the dialect that is named behind the gateway at its host."""
    found = _routed(*behind, host="api.front.example")
    assert found.speaks == "front"
    return found.relayed.slug if found.relayed else None


def _tagged(slug: str, shown: int) -> Dialect:
    """Return a dialect that always has two properties, and a third one in so many of 1,000 answers."""
    always = [counted_deviation(path, 1000, 1000) for path in ("tag", "usage.tag")]
    return invented_dialect(slug, deviations=[*always, counted_deviation("choices[].tag", shown, 1000)])


@pytest.mark.parametrize(("shown", "named"), [(100, "left"), (600, None)])
def test_dialect_behind_a_gateway_is_named_if_it_is_far_likelier_than_any_other(shown: int, named: str | None) -> None:
    assert _behind_a_gateway(_tagged("left", 1000), _tagged("right", shown)) == named


def test_a_gateway_is_never_behind_another_one() -> None:
    always = [counted_deviation(path, 1000, 1000) for path in ("tag", "usage.tag")]
    assert _behind_a_gateway(invented_dialect("left", kind="gateway", deviations=always)) is None


@pytest.mark.parametrize("more", [{}, {"warp": 1}])
def test_pair_explains_what_either_explains_and_costs_one_nat(more: dict[str, Any]) -> None:
    """What neither of the two explains counts as for the one that is known better."""
    found = _routed(_tagged("left", 1000), **more)
    front, behind = ({one.what: one.weight for one in found.evidence(slug)} for slug in ("front", "left"))
    both = sum((min if "warp" in what else max)(front[what], behind[what]) for what in front)
    assert found.relayed is not None
    assert 1 / found.relayed.confidence - 1 == pytest.approx(exp(sum(front.values()) - (both - 1)))


@pytest.mark.parametrize(
    ("relays", "marks", "is_named"),
    [(["left"], {}, True), ("any", {}, False), ("any", {"more_usage": {"tag": "t", "front": "f"}}, True)],
)
def test_gateway_that_relays_any_dialect_needs_marks_in_two_objects(
    relays: Any, marks: dict[str, Any], is_named: bool
) -> None:
    deviations = [counted_deviation(path, 1000, 1000) for path in ("choices[].message.route", "usage.front")]
    front = invented_dialect("front", kind="gateway", relays=relays, deviations=deviations)
    explainer = AutoExplainer([front, _tagged("left", 1000), *invented_dialects()])
    assert attribution(explain_completion(ROUTED | marks, None, explainer)).chain == ("front", "left") * is_named


@pytest.mark.parametrize("route", ["r", ...])
def test_unknown_service_behind_a_gateway_costs_two_nats(route: Any) -> None:
    """What the gateway itself adds counts, and so does that it is missing."""
    found = _routed(host="api.front.example", route=route)
    weights = {one.what: one.weight for one in found.evidence("front")}
    [own] = [weight for what, weight in weights.items() if what.endswith("route")]
    shares = exp(sum(weights.values())) + exp(own + weights["the host"] - 2)
    assert found.nearest.confidence / found.stranger == pytest.approx(shares / exp(1.7))


def test_server_behind_a_gateway_is_named_though_a_service_that_runs_it_may_be_there() -> None:
    server = _tagged("server", 1000)
    assert _behind_a_gateway(server, invented_dialect("service", [server])) == "server"


def test_facts_that_a_gateway_always_passes_on_name_nobody_behind_it() -> None:
    """Databricks translates the answers of Anthropic, whose usage other vendors copied."""
    found = attribution(explain_completion(DATABRICKS, "adb-1234567890123456.7.azuredatabricks.net"))
    assert found.chain == ("databricks",)


HUGGING_FACE_HOST = "router.huggingface.co"


def test_gateway_is_named_at_its_host_if_an_unknown_service_is_behind_it() -> None:
    """The properties of the unknown service do not speak against the gateway, but the host alone names nobody."""
    assert _named_for_stream({"content": "The", "name": "assistant", "loom": 1}, HUGGING_FACE_HOST) == ("huggingface",)
    assert _named_for_stream({"content": "The", "loom": 1}, HUGGING_FACE_HOST) == ()
    assert _named_for_stream({"content": "The", "name": "assistant", "loom": 1}, None) == ()


def _named_for_stream(delta: dict[str, Any], host: str | None) -> tuple[str, ...]:
    """Return who is named for a stream of one delta, in the envelope of an unknown service."""
    envelope = {"id": "chatcmpl-3e6faa47f0544175bf304610bb1d4525", "object": "chat.completion.chunk"}
    event = envelope | {"created": 1767213641, "model": "Qwen2.5-VL-72B-Instruct", "warp": 1}
    choices = [{"index": 0, "delta": {"role": "assistant"} | delta}]
    record = {"sse": f"data: {json.dumps(event | {'choices': choices})}\n\n", "host": host}
    exchange = exchange_in(record, "record.json")
    return attribution(REAL_EXPLAINER.explain(EXAMINER.examine(exchange))).chain


@pytest.mark.parametrize("gateway", [one.slug for one in KNOWN if one.kind == "gateway" and one.hosts])
def test_unknown_service_behind_a_gateway_is_called_no_other_dialect(gateway: str) -> None:
    host = next(one for one in KNOWN if one.slug == gateway).hosts[0].replace("*", "x")
    assert attribution(explain_completion(STRANGE | {"model": "org/model-7b"}, host)).chain in ((), (gateway,))


def test_two_values_at_one_path_are_one_mark_of_a_relayed_dialect() -> None:
    """A dialect that is relayed needs two marks. Facts of others can split the values of one property into two."""
    details = [{"type": "reasoning.text", "text": "We need", "index": 0, "format": None}]
    deltas: list[tuple[dict[str, Any], str | None]] = [
        ({"reasoning": "We need", "reasoning_details": details}, None),
        ({"reasoning": " to", "reasoning_details": details}, "length"),
        ({"reasoning": None, "reasoning_details": []}, "length"),
    ]
    envelope = {name: value for name, value in OPENROUTER.items() if name != "choice"}
    events = [
        envelope | {"object": "chat.completion.chunk", "created": 1760000000, "model": "a/b:free"}
        | {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""} | delta, "finish_reason": reason,
                        "native_finish_reason": reason, "logprobs": None}]}
        for delta, reason in deltas
    ]  # fmt: skip
    body = as_events(*events, "[DONE]")
    exchange = exchange_in(body, "stream.sse")
    assert attribution(REAL_EXPLAINER.explain(EXAMINER.examine(exchange))).chain == ("openrouter",)


def test_relayed_answer_at_the_host_of_the_gateway_contradicts_no_host() -> None:
    explained = explain_completion(TOGETHER, "router.huggingface.co")
    assert "host-contradicted" not in {rule_hit.rule for rule_hit in explained.hits}
    assert attribution(explained).contradicts is None


def test_finding_is_explained_by_each_of_the_two_with_a_fact_about_it() -> None:
    explained = explain_completion(COPILOT, "api.githubcopilot.com")
    slugs_by_pointer = {
        rule_hit.hit.pointer: slugs for rule_hit, slugs in zip(explained.hits, explained.explained_by, strict=True)
    }
    assert slugs_by_pointer[("copilot_usage",)] == ("github-copilot",)
    assert slugs_by_pointer[("prompt_filter_results",)] == ("github-copilot", "azure-openai")


def test_gateway_and_relayed_dialect_explain_at_least_as_much_as_the_gateway_alone() -> None:
    explained = explain_completion(GROQ | {"choice": {"finish_reason": "stop"}}, "router.huggingface.co")
    assert all(set(slugs) <= {"huggingface", "groq"} for slugs in explained.explained_by)
    without_groq = AutoExplainer([dialect for dialect in KNOWN if dialect.slug != "groq"])
    by_gateway = explain_completion(GROQ, "router.huggingface.co", without_groq)
    assert sum(map(bool, explained.explained_by)) >= sum(map(bool, by_gateway.explained_by))


def test_unknown_speaker_in_front_of_a_known_server_is_undetermined() -> None:
    without_venice = AutoExplainer([dialect for dialect in KNOWN if dialect.slug != "venice"])
    found = attribution(explain_completion(VENICE, None, without_venice))
    assert not found.sure
    assert found.nearest.slug == "vllm"


@pytest.mark.thorough
def test_gateway_that_relays_any_dialect_is_not_named_for_answers_of_others() -> None:
    """Check that no fixture of another dialect is attributed to a gateway because the gateway may relay any dialect."""
    explainer = AutoExplainer(KNOWN, hosts=False)
    gateways = {dialect.slug for dialect in KNOWN if dialect.relays == "any"}
    with_parents = {dialect.slug: {dialect.slug, *dialect.parents} for dialect in KNOWN}
    wrongly_named = []
    for path in sorted(FIXTURES.glob("*/*")):
        for exchange in read_all(path.read_bytes(), path.name):
            if isinstance(exchange, Exchange) and exchange.response is not None:
                chain = attribution(explainer.explain(EXAMINER.examine(exchange))).chain
                wrongly_named += [(path, slug) for slug in chain if slug in gateways - with_parents[path.parent.name]]
    assert wrongly_named == []


BODIES = [
    body
    for path in sorted(FIXTURES.glob("*/completion*.json"))
    for body in [json.loads(path.read_text()).get("response")]
    if isinstance(body, dict) and "choices" in body
]
RELAYING = [dialect for dialect in KNOWN if dialect.relays]


@given(st.sampled_from(BODIES), st.sampled_from(RELAYING), st.sets(st.sampled_from(["x_groq", "cost", "prompt", "id"])))
def test_pair_explains_at_least_what_each_of_the_two_explains_alone(
    body: dict[str, Any], gateway: Dialect, removed: set[str]
) -> None:
    payload = {name: value for name, value in body.items() if name not in removed}
    host = gateway.hosts[0].replace("*", "x") if gateway.hosts else None
    exchange = examined(payload, host)
    explained = REAL_EXPLAINER.explain(exchange)
    for slug in attribution(explained).chain:
        facts = [facts for _, facts in REAL_EXPLAINER.explanations.observe(exchange)]
        for slugs, explaining in zip(explained.explained_by, facts, strict=False):
            assert slug in slugs or slug not in {dialect.slug for dialect, _ in explaining}
