"""Test how attribution decides: which dialect is named, and which is only the nearest.

``test_named_speakers.py`` has the table of answers that servers really send, and the names that they get.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from dialect_examples import (
    EXAMINER,
    GEMINI_ID,
    GROQ,
    HEX,
    KNOWN,
    MOCK,
    OPENAI,
    REAL_EXPLAINER,
    UUID,
    attribution,
    completion,
    counted_deviation,
    dialect_with_a_form_of_models,
    examined,
    invented_dialect,
    invented_dialects,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import read_all

from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.exchange import Exchange

FIXTURES = Path(__file__).parents[3] / "fixtures"
INVENTED_EXPLAINER = AutoExplainer(invented_dialects())
ALPHA = {"id": "first-1", "model": "alpha-1", "alpha_tag": "t"}
LEFT_OUT = ("id", "object", "created", "usage", "message.refusal", "message.role", "choice.logprobs", "choice.index")
NULLS = ("system_fingerprint", "service_tier", "message.tool_calls", "message.function_call", "message.audio",
         "message.annotations", "more_usage.prompt_tokens_details", "more_usage.completion_tokens_details")  # fmt: skip
COMMON_IDS = (
    UUID,
    HEX,
    f"chatcmpl-{UUID}",
    f"chatcmpl-{HEX}",
    f"chatcmpl-{HEX[:8]}",
    f"chatcmpl-{HEX[:12]}",
    f"chatcmpl-{HEX[:16]}",
    f"chatcmpl-{HEX[:20]}",
    f"chatcmpl-{HEX[:24]}",
    "chatcmpl-1760000000",
    "cmpl-1",
    "req-1",
    GEMINI_ID,
    f"msg_01{HEX[:22]}",
    f"resp_{HEX}",
)
"""Ids that libraries make of random numbers, and those of the APIs of Gemini, of Anthropic and for responses."""


@pytest.mark.parametrize("id_", COMMON_IDS)
def test_id_that_libraries_make_is_weak_evidence_for_any_dialect(id_: str) -> None:
    result = attribution(REAL_EXPLAINER, examined(completion(id=id_)))
    weights = {
        dialect.slug: one.weight
        for dialect in KNOWN
        for one in result.evidence(dialect.slug)
        if one.what == "form of completion id"
    }
    assert {slug: weight for slug, weight in weights.items() if weight > 1.2} == {}


@given(
    st.sets(st.sampled_from(LEFT_OUT)),
    st.sets(st.sampled_from(NULLS)),
    st.sampled_from(COMMON_IDS),
    st.sampled_from(("gpt-4o", "my-model", "org/model-7b", "qwen3", "gemini-2.5-flash", "claude-sonnet-5")),
    st.sampled_from(("stop", "length", "tool_calls")),
)
@settings(max_examples=100, deadline=None)
def test_completion_with_faults_alone_names_nobody(
    left_out: set[str], nulls: set[str], id_: str, model: str, finish_reason: str
) -> None:
    """Whoever leaves properties out, or writes null for those that it has no value for, may be any stranger."""
    properties: dict[str, Any] = {"id": id_, "model": model, "choice": {"finish_reason": finish_reason}}
    for path, value in [(path, None) for path in sorted(nulls)] + [(path, ...) for path in sorted(left_out)]:
        *holder, name = path.split(".")
        (properties.setdefault(holder[0], {}) if holder else properties)[name] = value
    assert attribution(REAL_EXPLAINER, examined(completion(**properties))).speaks == "undetermined"


@pytest.mark.parametrize(
    "usage",
    [
        {"input_tokens": 3, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 0}},
        {"cache_creation": {"ephemeral_5m_input_tokens": 0}},
        {"server_tool_use": {"web_search_requests": 0}},
    ],
)
def test_usage_with_the_names_of_another_api_names_nobody(usage: dict[str, Any]) -> None:
    """Servers with OpenAI's API for responses, or before Anthropic's, may send the names of both APIs."""
    for faults in ({}, {"message": {"refusal": ...}, "choice": {"logprobs": ...}}):
        answer = completion(id=f"chatcmpl-{UUID}", more_usage=usage, **copy.deepcopy(faults))
        assert attribution(REAL_EXPLAINER, examined(answer)).speaks == "undetermined"


@pytest.mark.parametrize("cost", [{}, {"total": 0.1}, {"input": 0.1, "output": 0.2}])
def test_property_that_several_dialects_have_in_different_forms_names_nobody(cost: dict[str, Any]) -> None:
    """Bifrost alone has an object there that may hold anything, but many gateways say what an answer costs."""
    answer = completion(
        id="chatcmpl-abc123", more_usage={"cost": cost}, message={"refusal": ...}, choice={"logprobs": ...}
    )
    assert attribution(REAL_EXPLAINER, examined(answer)).speaks == "undetermined"


OWN_DATA = {"id": UUID, "object": "extensions.chat.completion", "model": "gpt-4o",
            "system_fingerprint": "fp_0123456789", "choice": {"logprobs": ...},
            "message": {"refusal": ..., "end_turn": True, "context": {"citations": [], "intent": "[]"}}}  # fmt: skip


@pytest.mark.parametrize(
    ("host", "speaks", "explained_by"),
    [
        ("example.openai.azure.com", "azure-openai", ("azure-openai",)),
        ("api.openai.com", "openai", ()),
        ("localhost", "undetermined", ()),
        (None, "undetermined", ()),
    ],
)
def test_request_without_an_answer_is_for_the_owner_of_its_host(
    host: str | None, speaks: str, explained_by: tuple[str, ...]
) -> None:
    request = {"request": {"messages": [{"role": "user", "content": "Hi"}]}, "path": "/v1/chat/completions"}
    explained = REAL_EXPLAINER.explain(examined(..., host, **request))
    assert explained.speaks == speaks
    [(found, by)] = zip(explained.hits, explained.explained_by, strict=True)
    assert (found.rule, found.hit.pointer, by) == ("missing-property", ("model",), explained_by)


def test_service_that_inherits_is_at_home_at_the_host_of_its_parent() -> None:
    """Answers from one's own data come from Azure OpenAI's host, and differ from its other answers."""
    for host in (None, "example.openai.azure.com"):
        found = attribution(REAL_EXPLAINER, examined(completion(**copy.deepcopy(OWN_DATA)), host))
        assert (found.speaks, found.contradicts) == ("azure-own-data", None)
    assert ("the host", "its own") in [(one.what, one.how) for one in found.evidence("azure-own-data")]
    plain = attribution(REAL_EXPLAINER, examined(completion(**OPENAI), "example.openai.azure.com"))
    assert plain.speaks != "azure-own-data"


def test_dialect_that_leaves_out_what_its_parent_shows_makes_the_parent_no_likelier() -> None:
    """Azure's filters are missing in a plain answer, and in most answers from one's own data."""
    without_child = AutoExplainer([dialect for dialect in KNOWN if dialect.slug != "azure-own-data"])
    shares = [
        next(one.confidence for one in attribution(explainer, examined(completion(**OPENAI))).candidates
             if one.slug == "azure-openai")
        for explainer in (REAL_EXPLAINER, without_child)
    ]  # fmt: skip
    assert shares[0] == pytest.approx(shares[1], rel=0.1)


def test_child_of_a_shape_is_named_only_by_what_distinguishes_it_from_the_shape() -> None:
    """Others use the library that makes the shape, too, and may have the faults of the child."""
    shape = invented_dialect(
        "empties", kind="shape", deviations=[counted_deviation(path, 1000, 1000) for path in ("tag", "usage.tag")]
    )
    absent = {"in": ["completion"], "at": "choices[].message.refusal", "absent": True, "seen": [1000, 1000]}
    child = invented_dialect(
        "child",
        [shape],
        deviations=[counted_deviation("own", 1000, 1000), absent],
        behaviours=[{"rule": "usage-total-mismatch", "seen": [1000, 1000]}],
    )
    explainer = AutoExplainer([shape, child, *(invented_dialect(f"other-{number}") for number in range(20))])
    of_shape = completion(tag="t", more_usage={"tag": "t"})
    faulty = completion(tag="t", more_usage={"tag": "t", "total_tokens": 99}, message={"refusal": ...})
    for answer, nearest, speaks in (
        (of_shape, "empties", "undetermined"),
        (faulty, "child", "undetermined"),
        (faulty | {"own": "o"}, "child", "child"),
    ):
        found = attribution(explainer, examined(answer))
        assert (found.nearest.slug, found.speaks) == (nearest, speaks)


@pytest.mark.parametrize(
    "body",
    [{"error": {"message": "No"}}, {"error": "blocked"}, {"detail": "No"}, {"error": {"message": "No", "code": 400}},
     {"error": {"message": "No", "type": "invalid_request_error"}}],
)  # fmt: skip
def test_error_body_that_any_speaker_could_send_names_no_dialect(body: dict[str, Any]) -> None:
    assert attribution(REAL_EXPLAINER, examined(body, status=400)).speaks == "undetermined"


@pytest.mark.parametrize("value", [[1], [{}], {"x": [1]}, None, True])
def test_answer_with_values_of_other_types_is_attributed(value: Any) -> None:
    payload = completion(**dict.fromkeys(("id", "model", "created", "alpha_tag", "usage", "choices"), value))
    assert attribution(INVENTED_EXPLAINER, examined(payload)).speaks == "undetermined"


def test_body_that_is_not_json_names_no_dialect() -> None:
    data = b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\n\r\n<html><h1>502 Bad Gateway</h1></html>"
    (exchange,) = read_all(data, "answer.http")
    assert isinstance(exchange, Exchange)
    assert attribution(REAL_EXPLAINER, EXAMINER.examine(exchange)).speaks == "undetermined"


@pytest.mark.parametrize(
    ("properties", "host", "speaks", "nearest"),
    [
        # In the order of the rows: a mark and much other evidence; the same, and a property that the dialect is not
        # known for; several such properties, which an unknown relay may have added; and three with less evidence.
        (ALPHA | {"more_usage": {"alpha_units": 1}}, None, "alpha", "alpha"),
        (ALPHA | {"more_usage": {"alpha_units": 1}, "warp": 1}, None, "alpha", "alpha"),
        (ALPHA | {"more_usage": {"alpha_units": 1}, "warp": 1, "weft": 2, "loom": 3}, None, "undetermined", "alpha"),
        (ALPHA, None, "undetermined", "alpha"),
        ({"id": "first-1", "model": "alpha-1", "more_usage": {"alpha_units": 1}}, None, "undetermined", "alpha"),
        ({"id": "first-1", "model": "alpha-1"}, None, "undetermined", "reference"),
        # marks; many observations that are no marks
        ({f"iota_{number}": "i" for number in range(3)}, None, "iota", "iota"),
        ({f"k{number}": "k" for number in range(6)} | {"more_usage": {f"k{number}": "k" for number in range(6)}}, None,
         "kappa", "kappa"),
        # a fact that a gateway passes on does not distinguish it from the dialect behind it, but a fact of its own does
        ({"alpha_tag": "t", "id": "first-1", "model": "alpha-1"}, None, "undetermined", "alpha"),
        ({"gamma_route": "r", "alpha_tag": "t"}, None, "undetermined", "gamma"),
        # one fact from source code, from documentation or of a shape names no dialect
        ({"beta_stats": {}}, None, "undetermined", "beta"),
        ({"delta_note": "n"}, None, "undetermined", "delta"),
        ({"sigma_shape": "s", "more_usage": {"sigma": "s", "shape": "s"}}, None, "undetermined", "sigma"),
        # a host names its owner if no evidence contradicts it; a body that is surely of another dialect does
        ({"alpha_tag": "t", "id": "first-1", "model": "alpha-1"}, "api.alpha.example", "alpha", "alpha"),
        ({}, "api.alpha.example", "undetermined", "reference"),
        ({"warp": 1}, "api.reference.example", "reference", "reference"),
        (ALPHA | {"more_usage": {"alpha_units": 1}}, "api.reference.example", "undetermined", "alpha"),
        (ALPHA | {"more_usage": {"alpha_units": 1, "alpha_price": 0.5}}, "api.reference.example", "alpha", "alpha"),
    ],
)  # fmt: skip
def test_dialect_is_named_only_with_confidence_and_a_mark(
    properties: dict[str, Any], host: str | None, speaks: str, nearest: str
) -> None:
    result = attribution(INVENTED_EXPLAINER, examined(completion(**copy.deepcopy(properties)), host))
    assert (result.speaks, result.nearest.slug) == (speaks, nearest), result.candidates[:3]


REFUSAL = {"error": {"message": "No such model", "type": "invalid_request_error", "param": None, "code": None}}


COUNTED_ON_ERRORS = {
    one.slug for one in KNOWN if any("error" in fact["in"] and "seen" in fact for fact in one.data["deviations"])
}
"""The dialects whose errors are known to differ from those of OpenAI."""


@pytest.mark.parametrize("slug", [one.slug for one in KNOWN if one.hosts and one.slug not in COUNTED_ON_ERRORS])
def test_refusal_in_the_form_of_openai_names_the_owner_of_its_host(slug: str) -> None:
    for host in next(one for one in KNOWN if one.slug == slug).hosts:
        found = attribution(REAL_EXPLAINER, examined(REFUSAL, host.replace("*", "x"), status=404))
        assert slug in {found.speaks, *found.tied}
        assert found.sure


@pytest.mark.parametrize("others", [0, 10, 1000])
def test_owner_of_a_host_is_named_however_many_dialects_have_nothing_to_do_with_the_exchange(others: int) -> None:
    owner = invented_dialect("owner", hosts=["api.owner.example"], deviations=[counted_deviation("own_tag", 9, 10)])
    strange = [invented_dialect(f"other-{number}") for number in range(others)]
    explainer = AutoExplainer([owner, *strange])
    assert attribution(explainer, examined(REFUSAL, "api.owner.example", status=404)).speaks == "owner"
    assert attribution(explainer, examined(REFUSAL, status=404)).speaks == "undetermined"


def test_fault_that_one_dialect_more_makes_stays_enough_for_a_name() -> None:
    faults: list[dict[str, Any]] = [
        {"at": "choices[].index", "absent": True},
        {"at": "choices[].message.refusal", "absent": True},
        {"at": "choices[].logprobs.refusal", "absent": True},
        {"at": "usage.prompt_tokens_details", "schema": {"type": "null"}},
    ]
    answers = {"in": ["completion"], "seen": [1000, 1000]}
    facts = [{**answers, **fault} for fault in faults]
    empty = {**answers, "at": "id", "schema": {"const": ""}}
    others = [
        invented_dialect(f"other-{number}-{index}", deviations=[fact])
        for number, fact in enumerate(facts)
        for index in range(8)
    ]
    blank = [invented_dialect(f"blank-{number}") for number in range(7)]
    explainer = AutoExplainer([invented_dialect("omicron", deviations=[empty, *facts]), *others, *blank])
    answer = completion(
        id="",
        message={"refusal": ...},
        choice={"index": ..., "logprobs": {"content": None}},
        more_usage={"prompt_tokens_details": None},
    )
    found = attribution(explainer, examined(answer))
    empty_weight, *weights = [one.weight for one in found.evidence("omicron")]
    assert empty_weight == 2.0
    assert [1.4 < weight < 1.5 for weight in weights] == [True] * 4  # the limit of a fault is 1.5
    assert found.speaks == "omicron"


MU_TAG = {"in": ["completion"], "at": "mu_tag", "schema": {"type": "string"}}
MU_IDS = {"in": ["completion"], "at": "id", "schema": {"pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"}}
WEAK = {"in": ["completion"], "at": "usage.weak", "schema": {"type": "string"}, "seen": [1000, 1000]}
MU: dict[str, Any] = {"id": UUID, "mu_tag": "t", "more_usage": {"weak": "w"}}


@pytest.mark.parametrize(
    ("more_facts", "properties", "speaks"),
    [
        # one value that nobody counted, an id of a common form, and what many others show
        ([MU_TAG], {}, "undetermined"),
        ([MU_TAG | {"seen": [2, 2]}], {}, "undetermined"),
        # the same if the value was counted or is beside another, or beside a fault
        ([MU_TAG | {"seen": [3, 3]}], {}, "mu"),
        ([MU_TAG, MU_TAG | {"at": "mu_note"}], {"mu_note": "n"}, "mu"),
        ([MU_TAG, {"in": ["completion"], "at": "choices[].message.refusal", "absent": True, "seen": [1000, 1000]}],
         {"message": {"refusal": ...}}, "mu"),
        # faults alone, however many
        ([{"in": ["completion"], "at": at, "absent": True, "seen": [1000, 1000]} for at in
          ("choices[].message.refusal", "choices[].index", "created")],
         {"mu_tag": ..., "message": {"refusal": ...}, "choice": {"index": ...}, "created": ...}, "undetermined"),
    ],
)  # fmt: skip
def test_one_value_that_nobody_counted_names_nobody_beside_an_id_of_a_common_form(
    more_facts: list[dict[str, Any]], properties: dict[str, Any], speaks: str
) -> None:
    mu = invented_dialect("mu", deviations=[MU_IDS, WEAK, *more_facts], fingerprints=[MU_IDS])
    found = attribution(
        AutoExplainer([*invented_dialects(), mu]), examined(completion(**copy.deepcopy(MU | properties)))
    )
    assert (found.nearest.slug, found.nearest.confidence > 0.9, found.speaks) == ("mu", True, speaks)


def test_form_of_the_model_is_no_mark_but_adds_to_other_evidence() -> None:
    explainer = AutoExplainer([*invented_dialects(), dialect_with_a_form_of_models()])
    many = {f"k{number}": "k" for number in range(12)}
    answers = [completion(model=model, **more) for model, more in (("org/m", {}), ("org/m", many))]
    assert [attribution(explainer, examined(one)).speaks for one in answers] == ["undetermined", "tau"]


def test_sure_dialect_at_the_host_of_another_contradicts_the_host_and_leaves_the_exchange_unchanged() -> None:
    exchange = examined(completion(**copy.deepcopy(GROQ)), "api.deepseek.com")
    before = list(exchange.hits)
    explained = REAL_EXPLAINER.explain(exchange)
    assert exchange.hits == before
    assert explained.hits[-1].rule == "host-contradicted"
    assert len(explained.explained_by) == len(before) + 1
    assert (explained.explained_by[-2], explained.explained_by[-1]) == (("groq",), ())
    assert explained.attribution is not None
    assert explained.attribution.contradicts == "deepseek"


def test_no_finding_is_explained_if_no_dialect_is_named() -> None:
    sure = REAL_EXPLAINER.explain(examined(completion(**copy.deepcopy(GROQ))))
    assert ("groq",) in sure.explained_by
    assert set(sure.explained_by) <= {("groq",), ()}
    unsure = REAL_EXPLAINER.explain(examined(completion(**copy.deepcopy(MOCK))))
    assert unsure.speaks == "undetermined"
    assert unsure.explained_by
    assert not any(unsure.explained_by)


def test_finding_that_only_another_dialect_explains_stays_unexplained() -> None:
    exchange = examined(completion(**ALPHA, more_usage={"alpha_units": 1}, beta_stats={}), "api.alpha.example")
    explained = INVENTED_EXPLAINER.explain(exchange)
    assert explained.speaks == "alpha"
    slugs_by_pointer = {
        rule_hit.hit.pointer: slugs for rule_hit, slugs in zip(explained.hits, explained.explained_by, strict=True)
    }
    assert slugs_by_pointer[("alpha_tag",)] == ("alpha",)
    assert slugs_by_pointer[("beta_stats",)] == ()


NAMED_FOR_ANOTHER = {
    "huggingface": {"together", "vllm", "groq", "cerebras", "fireworks"},
    "azure-ai-inference": {"azure-openai"},
    "github-copilot": {"azure-openai"},
    "venice": {"vllm"},
    "baseten": {"dynamo"},
    "tensorrt-llm": {"vllm"},
}
"""For dialects of gateways and servers, other dialects that their answers may be attributed to.

A gateway relays the answers of these dialects unchanged, or a server uses the protocol of one of them.
"""

IGNORING_HOSTS = AutoExplainer(KNOWN, hosts=False)


OTHERS = [dialect for dialect in KNOWN if dialect.kind != "reference"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "dialect",
    [
        pytest.param(other, marks=pytest.mark.slow if number % 3 else (), id=other.slug)
        for number, other in enumerate(OTHERS)
    ],
)
def test_answers_of_a_dialect_are_attributed_to_no_other_with_or_without_its_file(dialect: Any) -> None:
    inheriting = {other.slug for other in KNOWN if dialect.slug in other.parents}
    without_dialect = AutoExplainer(
        [other for other in KNOWN if other.slug not in {dialect.slug} | inheriting], hosts=False
    )
    other_names = NAMED_FOR_ANOTHER.get(dialect.slug, set())
    for path in sorted((FIXTURES / "dialects" / dialect.slug).iterdir()):
        for exchange in read_all(path.read_bytes(), path.name):
            if isinstance(exchange, Exchange) and exchange.response is not None:
                examined_exchange = EXAMINER.examine(exchange)
                allowed = {dialect.slug, "undetermined", *dialect.parents} | other_names
                assert attribution(IGNORING_HOSTS, examined_exchange).speaks in allowed, path.name
                assert attribution(without_dialect, examined_exchange).speaks in allowed, path.name
