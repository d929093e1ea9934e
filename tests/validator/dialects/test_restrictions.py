"""Test which values of a request break the restrictions of a dialect, and what is said about each."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from dialect_examples import invented_dialect

from isogloss import schemas
from isogloss.validator.dialects.model import dialect
from isogloss.validator.dialects.restrictions import broken_restrictions, hits

TURNS = {
    "at": "messages[].role",
    "scope": "order",
    "schema": {"not": {"pattern": "user user"}},
    "note": "Roles take turns.",
}
REFUSED_ORDER = "Mu does not accept this order of `messages[].role` (Roles take turns)"
STREAMED = {"properties": {"stream": {"const": True}}, "required": ["stream"]}


@pytest.mark.parametrize(
    ("restriction", "request_", "messages"),
    [
        ({"schema": {"const": 1}}, {"n": 2}, ["Mu does not accept this value of `n`"]),
        ({"schema": {"const": 1}}, {"n": 1}, []),
        ({}, {"n": None}, []),
        ({"effect": "ignored"}, {"n": 2}, ["Mu ignores `n`"]),
        (
            {"when": STREAMED, "note": "of a stream."},
            {"n": 2, "stream": True},
            ["Mu does not accept `n` (of a stream)"],
        ),
        ({"when": STREAMED}, {"n": 2, "stream": True}, ["Mu does not accept `n`"]),
        ({"when": STREAMED}, {"n": 2}, []),
        (TURNS, {"messages": [{"role": "user"}, {"role": "user"}]}, [REFUSED_ORDER]),
        (TURNS, {"messages": [{"role": "user"}, {"role": "tool"}, {"role": "user"}]}, []),
        (TURNS, {"messages": [{"role": "user"}, {"role": "user"}, {"role": 1}]}, []),
        (TURNS, {"messages": []}, []),
        ({"effect": "taken"}, {"n": 2}, []),
    ],
)
def test_a_value_breaks_a_restriction_that_concerns_the_request(
    restriction: dict[str, Any], request_: dict[str, Any], messages: list[str]
) -> None:
    mu = invented_dialect("mu", restrictions=[{"at": "n", "effect": "rejected", "source": "known", **restriction}])
    assert [hit.message for hit in hits(mu, request_)] == messages


def test_an_order_that_is_refused_is_found_at_the_array_with_the_joined_values() -> None:
    mu = invented_dialect("mu", restrictions=[{"effect": "rejected", "source": "known", **TURNS}])
    (found,) = broken_restrictions(mu, {"messages": [{"role": "user"}, {"role": "user"}]})
    assert (found.pointer, found.value) == (("messages",), "user user")


@pytest.mark.parametrize(
    ("roles", "found"),
    [("tool", [0]), ("tool user tool tool", [2, 3]), ("tool user", []), ("user user", []), ("", [])],
)
def test_a_restriction_on_the_current_turn_holds_after_the_last_message_of_the_user(
    roles: str, found: list[int]
) -> None:
    known = {"at": "messages[].role", "scope": "turn", "schema": {"const": "user"}}
    mu = invented_dialect("mu", restrictions=[{"effect": "rejected", "source": "known", **known}])
    request = {"messages": [{"role": role} for role in roles.split()]}
    assert [one.pointer for one in broken_restrictions(mu, request)] == [("messages", at, "role") for at in found]


class Border(NamedTuple):
    """Values at a path of a request that a dialect takes, and those that it does not, beside other properties."""

    at: str
    taken: list[Any]
    not_taken: list[Any]
    beside: dict[str, Any] | None = None

    def requests(self, values: list[Any]) -> list[dict[str, Any]]:
        return [self._request(value) | (self.beside or {}) for value in values]

    def _request(self, value: Any) -> Any:
        if self.at == "messages[].role":
            return {"messages": [{"role": role} for role in value.split()]}
        for step in reversed(self.at.split(".")):
            value = {step.removesuffix("[]"): [value] if step.endswith("[]") else value}
        return value


def _none(*options: str) -> list[Border]:
    """Return a border for each of some options that may not be there."""
    return [Border(option, [None], [0, "auto", {}]) for option in options]


ONE = Border("n", [1], [2, 0])
JSON_WITHOUT_SCHEMA = Border("response_format.type", ["text", "json_object"], ["json_schema"])
CALLED = {"role": "assistant", "tool_calls": [{"id": "call_Fake1"}]}
SIGNED = {"id": "call_Fake1", "extra_content": {"google": {"thought_signature": "s"}}}
SIGNED_CALL = CALLED | {"tool_calls": [SIGNED]}
RESULT = {"role": "tool", "tool_call_id": "call_Fake1"}
GEMINI_3 = {"model": "gemini-3-pro"}
HALF_SIGNED = [{}, {"extra_content": {}}, {"extra_content": {"google": {}}}]
NO_THOUGHTS = {"thinking": {"type": "disabled"}}
THOUGHTFUL = Border(
    "messages[]",
    [CALLED | {"reasoning_content": "So"}, {"role": "assistant", "tool_calls": []}, {"role": "user"}],
    [CALLED],
)
NAMED = {"type": "function", "function": {"name": "f"}}
UNTHINKING: list[dict[str, Any]] = [{"model": "deepseek-chat"}, {"model": "deepseek-flash", **NO_THOUGHTS}, {}]
WORDS_OF_ROLES = ["system", "user", "assistant", "tool"]
REJECTED = {
    "ai21": [Border("top_p", [0.1], [0, "1"]), JSON_WITHOUT_SCHEMA],
    "anthropic": [ONE],
    "bedrock": [Border("messages[].content", ["Hi", [{}]], ["", " ", []])],
    "cerebras": _none("frequency_penalty", "logit_bias", "presence_penalty"),
    "deepinfra": [Border("n", [4], [5, 1.5])],
    "deepseek": [
        Border("messages[].content[].type", ["text", "image_url", "file"], ["input_audio"]),
        Border("messages[].role", [*WORDS_OF_ROLES, "latest_reminder"], ["developer", "function"]),
        JSON_WITHOUT_SCHEMA,
        *(
            border._replace(beside={"model": model})
            for border in (THOUGHTFUL, Border("tool_choice", ["auto", "none"], ["required", NAMED]))
            for model in ("deepseek-v4-flash", "deepseek-flash", "deepseek/deepseek-reasoner")
        ),
        *(Border("messages[]", [CALLED], [], beside) for beside in UNTHINKING),
        *(Border("tool_choice", ["required", NAMED], [], beside) for beside in UNTHINKING),
    ],
    "fireworks": [Border("top_logprobs", [0, 5], [-1, 6, 0.5])],
    "gemini": [
        *(
            Border(
                "messages[]",
                [CALLED | {"tool_calls": calls} for calls in ([SIGNED], [SIGNED, {}], [])] + [{"role": "user"}],
                [CALLED | {"tool_calls": [call]} for call in HALF_SIGNED],
                {"model": model},
            )
            for model in ("google/gemini-3-pro", "gemini-4-argon")
        ),
        Border("messages", [[CALLED, RESULT, {"role": "user"}], [CALLED, {"role": "user"}, SIGNED_CALL]], [], GEMINI_3),
        *(Border("messages[]", [CALLED], [], beside) for beside in ({"model": "gemini-2.5-pro"}, {})),
        *_none("frequency_penalty", "seed"),
    ],
    "groq": [*_none("logprobs", "top_logprobs", "logit_bias"), ONE, Border("messages[].name", [None], ["n"])],
    "llama-cpp-python": [
        JSON_WITHOUT_SCHEMA,
        Border("messages[].role", [*WORDS_OF_ROLES, "function"], ["developer"]),
    ],
    "lm-studio": [Border("response_format.type", ["text", "json_schema"], ["json_object"])],
    "lmdeploy": [
        Border("n", [1, 128], [0, 129, 1.5]),
        Border("temperature", [0, 2], [-0.1, 2.1, "1"]),
        Border("top_p", [0.1, 1], [0, 1.1, "1"]),
    ],
    "minimax": [Border("tools[].function", [{"name": "f", "parameters": {}}], [{"name": "f"}])],
    "mistral": [
        *_none("max_completion_tokens", "store"),
        Border("stream_options.include_usage", [None], [True, False]),
        Border("logprobs", [False], [True]),
        Border("messages[]", [{"role": "user"}, {"role": "tool", "name": "n"}], [{"role": "user", "name": "n"}]),
        Border("messages[].role", ["user", "assistant tool", "system user"], ["user assistant", "user system"]),
        Border("messages", [[{"role": "user"}, {"role": "assistant", "prefix": True}]], []),
    ],
    "mlx-lm": [
        Border("top_logprobs", [-1, 11], [-2, 12, 0.5]),
        Border("top_p", [0, 1], [-0.1, 1.1, "1"]),
        Border("max_tokens", [1], [0, 1.5]),
    ],
    "moonshot": [
        Border("n", [1, 5], [0, 6, 1.5]),
        Border("temperature", [0, 1], [-0.1, 1.1, "1"]),
        Border("stop", ["a", ["a"] * 5], [["a"] * 6]),
        THOUGHTFUL._replace(beside={"model": "moonshotai/kimi-k2.5"}),
        *(
            Border(at, [value], others, {"model": model})
            for at, value, others in (
                ("temperature", 1, [0, 0.6]),
                ("top_p", 0.95, [1]),
                ("n", 1, [2]),
                ("presence_penalty", 0, [0.5]),
                ("frequency_penalty", 0, [0.5]),
            )
            for model in ("kimi-k2.5", "moonshotai/kimi-k3")
        ),
        Border("temperature", [0.6], [1, 0], {"model": "kimi-k2.6", **NO_THOUGHTS}),
        Border("temperature", [0, 0.6], [1.1], {"model": "kimi-k2-turbo-preview"}),
        Border("tool_choice", ["auto", "none"], ["required", NAMED], {"model": "kimi-k2.6"}),
        Border("tool_choice", ["required", NAMED], [], {"model": "kimi-k2.6", **NO_THOUGHTS}),
        Border("tool_choice", ["auto", "required"], [NAMED], {"model": "kimi-k3"}),
        *(
            Border("messages[]", [CALLED], [], beside)
            for beside in ({"model": "kimi-k2"}, {"model": "kimi-k2.5", **NO_THOUGHTS}, {})
        ),
    ],
    "ollama": [
        Border("messages[].content[].type", ["text", "image_url"], ["input_audio", "file"]),
        Border(
            "messages[].content[].image_url.url",
            ["data:image/png;base64,AAAA", "data:;base64,AAAA"],
            ["https://example.com/1.png", "data:image/gif;base64,AAAA"],
        ),
    ],
    "openvino-model-server": [
        Border("logprobs", [False], [True], {"stream": True}),
        Border("logprobs", [True], []),
        Border("stop", ["a", ["a"] * 16], [["a"] * 17]),
    ],
    "perplexity": [
        Border("response_format.type", ["text", "json_schema", "regex"], ["json_object"]),
        Border("tool_choice", ["auto"], [{}]),
        Border(
            "messages[].role",
            ["system system user", "user assistant user", "user assistant tool tool assistant"],
            ["user user", "system user assistant assistant", "user system", "user assistant tool system"],
        ),
    ],
    "triton": [ONE, *_none("logit_bias")],
    "upstage": [
        Border("messages[].role", WORDS_OF_ROLES, ["developer"]),
        *_none("store"),
        Border("tools[].function.strict", [False], [True]),
        Border("messages[].content[].type", ["text"], ["image_url"]),
    ],
    "xai": [
        Border("top_logprobs", [8], [9, 0.5]),
        *(
            Border(penalty, [None], [0, 0.5], {"model": model})
            for penalty, model in (
                ("presence_penalty", "grok-3-mini"),
                ("presence_penalty", "grok-4.20-0309-non-reasoning"),
                ("frequency_penalty", "grok-3-mini-fast"),
                ("frequency_penalty", "xai/grok-4.6"),
            )
        ),
        *(Border("presence_penalty", [0.5], [], {"model": model}) for model in ("grok-2", "grok-3", "grok-3-fast")),
        Border("frequency_penalty", [0.5], [], {"model": "grok-4-fast-non-reasoning"}),
        *(
            Border("stop", [None], ["a", ["a"]], {"model": model})
            for model in ("grok-4-0709", "grok-3-mini", "grok-code-fast-1")
        ),
        *(Border("stop", ["a"], [], {"model": model}) for model in ("grok-3", "grok-4-fast-non-reasoning")),
        Border("messages[]", [{"role": "user", "name": "n"}, {"role": "system"}], [{"role": "system", "name": "n"}]),
    ],
    "xinference": _none("logit_bias"),
    "zhipu": [
        Border("tool_choice", ["auto"], ["required", "none", NAMED]),
        Border("messages[].role", ["user", "assistant tool"], ["system", "system assistant"]),
    ],
}
IGNORED = {
    "anthropic": [
        *_none(
            "logprobs", "top_logprobs", "metadata", "response_format", "prediction", "presence_penalty",
            "frequency_penalty", "seed", "service_tier", "audio", "logit_bias", "store", "user", "modalities",
            "reasoning_effort",
        ),
        Border("tools[].function.strict", [None], [True]),
        Border("temperature", [0, 1], [-0.1, 1.1, "1"]),
    ],
    "deepseek": [
        border
        for option in ("temperature", "presence_penalty", "frequency_penalty")
        for border in (
            Border(option, [None], [0, 0.5], {"model": "deepseek-flash"}),
            *(Border(option, [0.5], [], beside) for beside in UNTHINKING),
        )
    ],
    "llama-cpp-python": [*_none("stream_options", "max_completion_tokens", "parallel_tool_calls"), ONE],
    "ollama": [*_none("tool_choice", "logit_bias", "user", "max_completion_tokens"), ONE],
    "openrouter": [ONE],
    "text-generation-webui": [ONE],
    "tgi": [*_none("logit_bias", "user"), ONE],
    "transformers-serve": _none(
        "logprobs", "n", "parallel_tool_calls", "presence_penalty", "reasoning_effort", "response_format",
        "stream_options", "tool_choice", "top_logprobs",
    ),
    "vertex-ai": [
        *_none("logit_bias", "metadata", "prediction", "service_tier", "top_logprobs", "user", "verbosity"),
        *(Border(option, [False], [True]) for option in ("logprobs", "store")),
        Border("parallel_tool_calls", [True], [False]),
    ],
    "xai": _none("logit_bias"),
    "zhipu": _none("n", "logprobs", "top_logprobs", "frequency_penalty", "presence_penalty", "logit_bias"),
}  # fmt: skip


@pytest.mark.parametrize("slug", schemas.dialects())
def test_each_restriction_of_a_dialect_is_broken_by_the_values_behind_its_border(slug: str) -> None:
    broken = set()
    for effect, table in (("rejected", REJECTED), ("ignored", IGNORED)):
        for border in table.get(slug, ()):
            for request in border.requests(border.taken):
                assert list(broken_restrictions(dialect(slug), request)) == [], request
            for request in border.requests(border.not_taken):
                ((_, _, restriction),) = broken_restrictions(dialect(slug), request)
                assert (restriction.at, restriction.effect) == (border.at, effect), request
                broken.add(id(restriction))
    own = [one for one in schemas.dialect(slug).get("restrictions", ()) if "/" not in one["source"]]
    assert len(broken) == len([one for one in own if one["effect"] != "taken"])


@pytest.mark.parametrize("slug", schemas.dialects())
def test_what_a_dialect_says_that_it_takes_is_what_a_parent_does_not(slug: str) -> None:
    data = schemas.dialect(slug)
    restricted = {one["at"] for parent in data.get("inherits", ()) for one in schemas.dialect(parent)["restrictions"]}
    for one in data["restrictions"]:
        if one["effect"] == "taken":
            assert one["at"] in restricted
            assert list(broken_restrictions(dialect(slug), {one["at"]: "any"})) == []
