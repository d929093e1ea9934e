"""A dialect that relays another: when both are named, that both explain, and that relaying any attracts nobody."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from speaking import EXAMINER, UUID, completion, examined

from isogloss.validator import captures
from isogloss.validator.dialects.attribution import Attribution
from isogloss.validator.dialects.model import Dialect, dialects
from isogloss.validator.dialects.speakers import AutoSpeaker, ExplainedHits
from isogloss.validator.exchange import Exchange

FIXTURES = Path(__file__).parents[3] / "fixtures/dialects"
KNOWN = list(dialects())
REAL = AutoSpeaker(KNOWN)

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
STRANGE: dict[str, Any] = {"warp": 1, "weft": 2, "more_usage": {"loom": 3}, "choice": {"shuttle": 4}}


def explained(members: dict[str, Any], host: str | None = None, speaker: AutoSpeaker = REAL) -> ExplainedHits:
    """Explain a completion with these properties, and return the result."""
    return speaker.explain(examined(completion(**copy.deepcopy(members)), host))


def attribution(found: ExplainedHits) -> Attribution:
    """Return the attribution in the result, which must have one."""
    assert found.attribution is not None
    return found.attribution


@pytest.mark.parametrize(
    ("members", "host", "chain", "tied"),
    [
        # what is behind shows at the gateway's host, and through marks of the gateway's own
        (TOGETHER, "router.huggingface.co", ("huggingface", "together"), ("huggingface",)),
        (GROQ, "router.huggingface.co", ("huggingface", "groq"), ("huggingface",)),
        (XAI, "models.inference.ai.azure.com", ("azure-ai-inference", "xai"), None),
        (XAI, "api.x.ai", ("xai",), None),
        (COPILOT, None, ("github-copilot", "azure-openai"), ("github-copilot",)),
        (COPILOT, "api.githubcopilot.com", ("github-copilot", "azure-openai"), ("github-copilot",)),
        (VENICE, "api.venice.ai", ("venice", "vllm"), ("venice",)),
        # one alone: no gateway shows, nobody behind it shows, or the host is that of somebody who relays nobody
        (TOGETHER, None, ("together",), ("together",)),
        (GROQ, "api.groq.com", ("groq",), ("groq",)),
        (GROQ, "api.deepseek.com", ("groq",), ("groq",)),
        (OPENROUTER, None, ("openrouter",), ("openrouter",)),
        (OPENROUTER, "openrouter.ai", ("openrouter",), ("openrouter",)),
        # who is not on the list of those that are relayed
        (GROQ, "api.githubcopilot.com", ("groq",), ("groq",)),
        # a gateway that relays any does not make its own what nobody knows
        (STRANGE, None, (), None),
        (STRANGE | {"model": "org/model-7b"}, "gateway.example", (), None),
    ],
)  # fmt: skip
def test_both_are_named_where_both_show(
    members: dict[str, Any], host: str | None, chain: tuple[str, ...], tied: tuple[str, ...] | None
) -> None:
    found = attribution(explained(members, host))
    assert found.chain == chain, [found.candidates[:3], found.stranger]
    assert found.sure == bool(chain)
    assert (found.relayed.slug if found.relayed else None) == (chain[1] if len(chain) > 1 else None)
    assert tied is None or found.tied == tied


def test_the_gateway_alone_is_named_where_two_may_stand_behind_it() -> None:
    by_slug = {one.slug: one for one in KNOWN}
    router = by_slug["huggingface"]
    relays = router.relays if isinstance(router.relays, str) else [*router.relays, "twin"]
    twin = Dialect(by_slug["groq"].data | {"slug": "twin", "hosts": []})
    others = [one for one in KNOWN if one is not router]
    speaker = AutoSpeaker([*others, Dialect(router.data | {"relays": relays}), twin])
    found = attribution(explained(GROQ, "router.huggingface.co", speaker))
    assert found.chain == ("huggingface",)
    assert found.relayed is None


def test_a_relayed_answer_at_the_gateways_host_contradicts_no_host() -> None:
    found = explained(TOGETHER, "router.huggingface.co")
    assert "host-contradicted" not in {one.rule for one in found.hits}
    assert attribution(found).contradicts is None


def test_what_either_of_the_two_knows_is_explained_by_it() -> None:
    found = explained(COPILOT, "api.githubcopilot.com")
    by = {one.hit.pointer: slugs for one, slugs in zip(found.hits, found.explained_by, strict=True)}
    assert by[("copilot_usage",)] == ("github-copilot",)
    assert by[("prompt_filter_results",)] == ("github-copilot", "azure-openai")


def test_only_the_one_behind_explains_what_the_gateway_has_no_fact_about() -> None:
    found = explained(GROQ | {"choice": {"finish_reason": "stop"}}, "router.huggingface.co")
    assert all(set(slugs) <= {"huggingface", "groq"} for slugs in found.explained_by)
    alone = AutoSpeaker([one for one in KNOWN if one.slug != "groq"])
    before = explained(GROQ, "router.huggingface.co", alone)
    assert sum(map(bool, found.explained_by)) >= sum(map(bool, before.explained_by))


def test_an_unknown_speaker_in_front_of_a_known_engine_is_undetermined() -> None:
    others = AutoSpeaker([one for one in KNOWN if one.slug != "venice"])
    found = attribution(explained(VENICE, None, others))
    assert not found.sure
    assert found.nearest.slug == "vllm"


@pytest.mark.thorough
def test_relaying_any_names_a_gateway_for_nothing_it_is_not_named_for_alone() -> None:
    """Check that no fixture of another dialect is attributed to a gateway because the gateway may relay any dialect."""
    hostless = AutoSpeaker(KNOWN, hosts=False)
    gateways = {one.slug for one in KNOWN if one.relays == "any"}
    lines = {one.slug: {one.slug, *one.parents} for one in KNOWN}
    named = []
    for path in sorted(FIXTURES.glob("*/*")):
        for one in captures.read(captures.Capture(io.BytesIO(path.read_bytes()), path.name)):
            if isinstance(one, Exchange) and one.response is not None:
                chain = attribution(hostless.explain(EXAMINER.examine(one))).chain
                named += [(path, slug) for slug in chain if slug in gateways - lines[path.parent.name]]
    assert named == []


BODIES = [
    body
    for path in sorted(FIXTURES.glob("*/completion*.json"))
    for body in [json.loads(path.read_text()).get("response")]
    if isinstance(body, dict) and "choices" in body
]
RELAYING = [one for one in KNOWN if one.relays]


@given(st.sampled_from(BODIES), st.sampled_from(RELAYING), st.sets(st.sampled_from(["x_groq", "cost", "prompt", "id"])))
def test_a_chain_explains_at_least_what_either_alone_explains(
    body: dict[str, Any], front: Dialect, without: set[str]
) -> None:
    whole = {name: value for name, value in body.items() if name not in without}
    host = front.hosts[0].replace("*", "x") if front.hosts else None
    found = examined(whole, host)
    made = REAL.explain(found)
    for slug in attribution(made).chain:
        facts = [facts for _, facts in REAL.explanations.observe(found)]
        for by, known in zip(made.explained_by, facts, strict=False):
            assert slug in by or slug not in {one.slug for one, _ in known}
