"""An answer reached the limit of tokens, and its `finish_reason` does not say so.

There are exactly as many completion tokens as `max_completion_tokens` or `max_tokens` allows, and `finish_reason` is
`stop` or `tool_calls`. If the arguments of a call are cut, it is certain that the limit ended the answer, and this is
an error. Otherwise the answer may have ended by itself with the last allowed token. The rule skips a `stop` beside
whole calls, which `calls-with-stop` is about, and a stream that sends no finish reason, such as a spoken answer of
OpenAI.

## Why it matters
Only `length` shows a client that a part of the answer is missing. With `stop`, it presents the part as the whole
answer. With `tool_calls`, it runs a call whose arguments end in the middle.

## Who sends it
vLLM, which sets `tool_calls` whatever ended the answer
([vllm-project/vllm#53269](https://github.com/vllm-project/vllm/issues/53269),
[vllm-project/vllm#58228](https://github.com/vllm-project/vllm/issues/58228)).

## What to do
* As a server's author: If the limit ended the answer, send `length` instead of `stop` or `tool_calls`, in streams too.
* As a client's user: Compare `completion_tokens` with your limit, and treat an answer that reached it as cut. Never run
  a call whose arguments do not parse.

## Bad
```
{"max_completion_tokens":10,…}

{"choices":[{"finish_reason":"tool_calls",…}],"usage":{"completion_tokens":10,…}}
```

## Good
```
{"max_completion_tokens":10,…}

{"choices":[{"finish_reason":"length",…}],"usage":{"completion_tokens":10,…}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator import jsontext
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.quoting import count_of, quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion.calls._arguments import whole_calls
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import Completion, integer

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: finish_reason", "2026-04"),
        Citation("recorded OpenAI answers: length wherever the limit was reached", "2026-11"),
        Citation("vllm-project/vllm#58228", "2026-09"),
        Citation("maruel/genai, a recorded stream of gpt-audio: 16 of 16 tokens, and no finish reason", "2026-09"),
    ),
    replaces=(
        "arguments-empty",
        "arguments-not-json",
        "arguments-off-schema",
        "calls-with-stop",
        "stop-with-tool-calls",
    ),
    needs=("completion", "token limit", "usage"),
)

_ENDED_BY_ITSELF = ("stop", "tool_calls", "function_call")


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for a finish reason that hides that the answer used all its tokens."""
    get_option = pair.request.value.get
    limit = integer(get_option("max_completion_tokens")) or integer(get_option("max_tokens"))
    if not limit or limit < 1 or pair.completion is None or pair.completion.usage is None:
        return
    if integer(pair.completion.usage.get("completion_tokens")) != limit or len(pair.choices) != 1:
        return
    choice = pair.choices[0]
    if choice.finish_reason in _ENDED_BY_ITSELF and _is_sent(pair):
        cut_arguments = tuple(_cut_arguments(pair.completion))
        if choice.finish_reason == "stop" and choice.called and not cut_arguments:
            return  # its call is whole, and another rule says whether it should be `tool_calls`
        message = f"{quote_value(choice.finish_reason)} after {count_of(limit, 'token')}, which is the limit"
        if cut_arguments:
            message += "; the arguments are cut"
        severity = Severity.ERROR if cut_arguments else None
        yield Hit(
            message,
            (*choice.at, "finish_reason"),
            choice.finish_reason,
            severity=severity,
            other_pointers=cut_arguments,
        )


def _is_sent(pair: Pair) -> bool:
    """Return whether the finish reason of the only choice was sent, and not derived from the end of a stream."""
    return pair.trace is None or any(choice.finishes for choice in pair.trace.choices.values())


def _cut_arguments(completion: Completion) -> Iterator[Pointer]:
    """Yield the pointers of arguments that end in the middle of their JSON, or before it."""
    for call, text in whole_calls(completion):
        is_cut = not text.strip() or jsontext.scan(text.encode("utf-8", "surrogatepass")).cut(())
        if call.parsed is None and is_cut:
            yield call.arguments_at
