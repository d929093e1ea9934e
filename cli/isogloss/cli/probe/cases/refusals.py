"""Cases whose request is wrong on purpose: the server must refuse it, with the right status and a correct error."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from isogloss.cli.probe import answer_checks
from isogloss.cli.probe.cases.case import Case
from isogloss.cli.probe.cases.questions import SHORT, STREAM, ask

__all__ = ["cases", "last_cases"]

_WRONG_KEY_THREAD = "https://github.com/BerriAI/litellm/pull/1559"
_WITHOUT_PROMPT = ("answer-missing", "usage-zero")
"""What an answer to no messages may rightly have: no text, and a prompt without tokens."""
_WORD_COUNT = 140_000
"""How many words the prompt has that is too long: more tokens than the 131,072 that most large models accept."""


_other = partial(Case, group="errors")
"""A case that may also be answered, or whose name does not say that it is refused."""


def _case(name: str, what: str, tests: str, why: str, thread: str, body: Any, status: int = 400, **more: Any) -> Case:
    return _other(f"refuses-{name}", what, tests, why, thread, body, **{"expected": (status,), **more})


def cases() -> Iterator[Case]:
    """Yield the cases of the group ``errors`` that harm nothing."""
    yield _case(
        "missing-messages", "no messages", "messages",
        "Clients that get another status repeat the request, or look for the fault in the wrong place.",
        "https://github.com/diegosouzapw/OmniRoute/issues/6402",
        {"max_completion_tokens": SHORT}, excused=_WITHOUT_PROMPT,
    )  # fmt: skip
    yield _case(
        "missing-messages-stream", "no messages, and a stream that must not begin", "messages with stream",
        "Few clients read an error inside a stream that began with 200: for the others, the answer is empty.",
        "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2322",
        {"max_completion_tokens": SHORT, **STREAM}, excused=_WITHOUT_PROMPT,
    )  # fmt: skip
    yield _case(
        "invalid-json", "a body that is not JSON", "the request body",
        "If the server answers with 500, clients send it again and again, and the message does not help.",
        "https://github.com/sgl-project/sglang/issues/3805",
        b'{"model": "x", "messages": [}',
    )  # fmt: skip
    yield _case(
        "wrong-type", "messages that are a string", "messages",
        "Clients decide by the status: for them, 422 is another error than 400.",
        "https://github.com/api7/aisix/pull/400",
        {**ask(), "messages": "Say hello."},
    )  # fmt: skip
    yield _case(
        "out-of-range", "a temperature of 99", "temperature",
        "If it is accepted, the answer is noise, and nobody learns why.",
        "https://github.com/epam/ai-dial-adapter-openai/issues/529",
        {**ask(), "temperature": 99},
    )  # fmt: skip
    yield _case(
        "unknown-model", "a model that does not exist", "model",
        "If another model answers under that name, nobody notices a misspelt name.",
        "https://github.com/sgl-project/sglang/pull/31419",
        ask(), 404, model="isogloss-no-such-model",
    )  # fmt: skip
    yield _case(
        "unknown-path", "a path that does not exist", "the path",
        "A page in place of an error leaves the client with a status and no message.",
        "https://github.com/openai/openai-node/issues/1734",
        ask(), 404, path="isogloss-no-such-path",
    )  # fmt: skip
    yield _other(
        "unknown-parameter", "a parameter that does not exist, which may be ignored or refused with 400",
        "a parameter that no server knows",
        "Clients send parameters that are new, or that other servers have: with 500 or 422, they do not work.",
        "https://github.com/vllm-project/vllm/pull/10463",
        ask(isogloss_no_such_parameter=True), expected=(200, 400),
    )  # fmt: skip


def last_cases() -> Iterator[Case]:
    """Yield the cases of the group ``errors`` that are sent last: no key, a wrong key, and too long a prompt."""
    yield _other(
        "missing-key", "no key", "the Authorization header",
        "Users who forgot the key have to read that it is missing, and not that the server failed.",
        "https://github.com/cline/cline/issues/12775",
        ask(), expected=(200, 401), key="none",
    )  # fmt: skip
    yield _other(
        "refuses-wrong-key", "a key that is wrong, tried once", "the Authorization header",
        "An error of another shape reaches the user as a status without a message.",
        _WRONG_KEY_THREAD,
        ask(), expected=(200, 401), key="wrong",
    )  # fmt: skip
    yield _other(
        "context-overflow", f"a prompt of {_WORD_COUNT:,} words, sent once", "the length of the context",
        "Agents shorten their history when they read context_length_exceeded; on anything else they give up.",
        "https://github.com/vllm-project/vllm/pull/37011",
        ask({"role": "user", "content": "hello " * _WORD_COUNT}, limit=1), expected=(200, 400),
        expected_code="context_length_exceeded", expects=answer_checks.expect_refusal, sent_once=True,
    )  # fmt: skip
