"""A choice holds no answer: `content` is null or empty, and nothing stands in its place.

OpenAI sends null content only beside tool calls, a function call, a refusal or audio. An answer that ends before its
first visible character has the empty string as content and ends with `length`: for example, if a reasoning model
reaches the token limit. An answer that ends with `stop` has a text. If its usage counts 0 tokens, the model ended at
once, or a stop sequence came first: then this is a note. It is a note, too, if the request has stop sequences, and the
usage counts no more tokens than one of them has bytes: a server may count its tokens, and each has at least one byte. A
choice that the content filter stopped may have no content.

## Why it matters
Readers print, parse or measure `content`. They check for tool calls and refusals, and then assume that there is a text.
An agent that gets no text repeats the request, or assumes that the task is done.

## Who breaks
When the whole answer went into the reasoning: Cline ended its run with nothing to show, in five of fifty turns of one
model on OpenRouter ([cline/cline#13165](https://github.com/cline/cline/pull/13165)); Hermes Agent
([NousResearch/hermes-agent#109205](https://github.com/NousResearch/hermes-agent/issues/109205)) and Reasonix
([esengine/DeepSeek-Reasonix#6617](https://github.com/esengine/DeepSeek-Reasonix/issues/6617)) asked again and again;
programs that evaluate models on LM Studio took it for an empty answer
([lmstudio-ai/lmstudio-bug-tracker#1602](https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1602)). LiteLLM on
answers without a word ([BerriAI/litellm#24462](https://github.com/BerriAI/litellm/pull/24462)).

## What to do
* As a server's author: Send the empty string as `content` when a model ends before its first visible character, and
  null only beside calls, a refusal or audio. Check whether the text went into a property of your own, such as
  `reasoning_content`.
* As a client's user: Read `content or ""`, and repeat the request or report an error if the answer is empty. With
  reasoning models, raise `max_completion_tokens`: the limit may have been used up before the answer began.

## Bad
```json
{"message": {"role": "assistant", "content": null, "refusal": null}, "finish_reason": "stop"}
```

## Good
```json
{"message": {"role": "assistant", "content": "", "refusal": null}, "finish_reason": "length"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._texts import REASONING
from isogloss.validator.views import Choice, Completion, integer, obj

RULE = Rule(
    severity=Severity.WARNING,
    lacks="text",
    sources=(
        Citation('recorded OpenAI answers: null only beside calls, refusals and audio; "" in 20 cut ones', "2026-08"),
        Citation('recorded OpenAI answers: "" with stop in none that counts tokens, without stop sequences', "2026-11"),
        Citation('ldp (PyPI) 0.30.0, cassettes: "" with stop and 2 tokens, with the sequence `Action:`', "2025-06"),
        Citation(
            'fhaviary (PyPI) 0.37.0, cassettes: "" with stop and 0 tokens, 9 times, as the prompt asks', "2024-12"
        ),
    ),
    needs=("no content",),
)

_INSTEAD_OF_CONTENT = ("refusal", "tool_calls", "function_call", "audio", "images")
"""Properties that hold an answer. Pictures are in ``images`` (openrouter of PyPI 1.3.84, a message of a choice)."""


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each choice that ended with ``stop`` or ``length`` and has no answer.

    Null content is no answer. Empty content is no answer if the finish reason is ``stop``; if no token was generated,
    or perhaps only a stop sequence, that is a note. A choice with a refusal, a call, audio or pictures in place of
    content is not reported.
    """
    for choice in completion.choices:
        message = choice.message
        content = message.get("content", ABSENT)
        if content is not None and (type(content) is not str or content.strip() or choice.finish_reason != "stop"):
            continue
        if choice.finish_reason not in ("stop", "length") or any(message.get(name) for name in _INSTEAD_OF_CONTENT):
            continue
        what = "null" if content is None else "only white space" if content else "empty"
        problem = f"content is {what}" + ("" if content is None else ", though the answer ended by itself")
        reasoning_name = next((name for name in REASONING if message.get(name)), None)
        remark = "nothing stands in its place" if reasoning_name is None else f"all text is in {reasoning_name}"
        may_be_whole = content is not None and reasoning_name is None and _may_be_stopped(completion, choice)
        severity = Severity.NOTE if may_be_whole else None
        yield Hit(f"{problem}, and {remark}", (*choice.at, "message", "content"), content, severity=severity)


def _may_be_stopped(completion: Completion, choice: Choice) -> bool:
    """Return whether the model may have ended a choice at once, or with a stop sequence behind its white space."""
    usage = completion.usage or {}
    generated = integer(usage.get("completion_tokens"))
    if generated == 0 and not choice.content:
        return True
    sequences = [] if completion.request is None else completion.request.stop_sequences
    if not sequences or generated is None or len(completion.choices) > 1:
        return bool(sequences)
    details = obj(usage.get("completion_tokens_details")) or {}
    answer_tokens = generated - (integer(details.get("reasoning_tokens")) or 0)
    texts = [f"{choice.content or ''}{sequence}" for sequence in sequences]
    return answer_tokens <= max(len(text.encode("utf-8", "surrogatepass")) for text in texts)
