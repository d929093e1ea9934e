"""The text of an answer holds markup in which a model writes calls, turns or channels.

Only a model and its server should see such markup: the server turns it into `tool_calls`, into separate reasoning and
into the end of the answer. The rule looks for it in content, in reasoning and in arguments. It ignores markup that the
text only mentions: markup in code, markup inside a sentence, and markup that the request itself mentions. Markup that
calls a tool of the request is an error: the call is lost, or made twice. It is left alone only if the request mentions
the markup and has `"tool_choice": "none"`: some clients ask for the markup, and parse it themselves.

## Why it matters
The user reads `<|im_end|>`. An agent that waits for `tool_calls` takes the raw call for the final answer and stops. If
the markup is sent back with the history, the model learns to write it again.

## Who sends it
Servers whose parser for a model is missing, set wrong, or defeated by a marker that several tokens spell: vLLM
([vllm-project/vllm#31207](https://github.com/vllm-project/vllm/pull/31207),
[vllm-project/vllm#44522](https://github.com/vllm-project/vllm/issues/44522),
[vllm-project/vllm#53227](https://github.com/vllm-project/vllm/issues/53227)), SGLang
([sgl-project/sglang#30480](https://github.com/sgl-project/sglang/issues/30480),
[sgl-project/sglang#40236](https://github.com/sgl-project/sglang/issues/40236)) and mlx-lm
([ml-explore/mlx-lm#875](https://github.com/ml-explore/mlx-lm/issues/875)).

## What to do
* As a server's author: Choose the parser for tool calls and reasoning that fits the model, and compare markers with
  decoded text as well as with token ids. In a stream, hold back text that may be the beginning of a marker. Treat a
  call that cannot be parsed as an error of the server.
* As a client's user: Set the server's parser for this model (`--tool-call-parser`, `--jinja`), or another chat
  template. Do not parse the markup yourself without a warning, and leave such an answer out of the history.

## Bad
```json
{"role": "assistant", "content": "<tool_call>\\n{\\"name\\": \\"get_weather\\", \\"arguments\\": {}}\\n</tool_call>"}
```

## Good
```json
{"role": "assistant", "content": null, "tool_calls": [
  {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._markup import (
    calls_by_name,
    leaked_marker,
    left_in_argument,
    may_hold_markup,
    without_markers,
)
from isogloss.validator.rules.completion._texts import ChoiceText, argument_texts, mentions, parse_json, strings, texts
from isogloss.validator.views import Completion, Request

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("recorded OpenAI answers: none in 1,384 completions and streams", "2026-11"),
        Citation("vllm-project/vllm#32587: `<|channel|>` of gpt-oss", "2026-05"),
        Citation("MoonshotAI/Kimi-K2#89: `<|tool_calls_section_begin|>`", "2025-11"),
        Citation("vllm-project/vllm#44522: `<|tool_call>call:…` of Gemma 4", "2026-06"),
        Citation("vllm-project/vllm#51400: `<|close|>message<|sep|>` of Kimi K3", "2026-08"),
        Citation("MiniMax-AI/MiniMax-M3#31: `]<]minimax[>[` of MiniMax M3", "2026-08"),
        Citation("vllm-project/vllm#58315: `<tool_call>` of GLM", "2026-09"),
        Citation("jundot/omlx#2108: `<tool_call:opensource>` of Tencent Hy3", "2026-07"),
        Citation("vllm-project/vllm@7a24fbb, hy_v3_tool_parser.py: `<tool_sep>` of Tencent Hy3", "2026-11"),
        Citation("vllm-project/vllm@ec343f4, longcat_tool_parser.py: `<longcat_tool_call>`", "2026-11"),
        Citation("vllm-project/vllm@719d683, nemotron_nano_v2_tool_parser.py: `<TOOLCALL>` of Nemotron", "2026-11"),
        Citation("anomalyco/opencode#2288: `</xai:function_call>` of Grok Code", "2025-08"),
        Citation("sgl-project/sglang#40236: DSML of DeepSeek V3.2 and V4", "2026-09"),
        Citation("ai-dynamo/frontend-crates#60: `[TOOL_CALLS]` of Mistral", "2026-06"),
        Citation("ggml-org/llama.cpp#6859: `</s>` of Mistral", "2024-04"),
        Citation("recorded answers of vLLM, llama.cpp and mistral.rs with such markup", "2026-11"),
        Citation(
            "fhlmi (PyPI) 1.10.0, a cassette: tool_choice none, and a prompt asks for `<tool_call>`",
            "2026-04",
        ),
    ),
    needs=("marks",),
    replaces=("finish-reason-without-calls", "forced-call-missing"),
    includes=("arguments-not-json",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for the first markup in each content, reasoning and arguments text, unless the request mentions it.

    A call of a tool of the request, in content or reasoning, is a hit even then, unless the request wants no call.
    """
    tool_names: frozenset[str] | None = None
    for candidate in texts(completion):
        if not may_hold_markup(candidate.text):
            continue
        if tool_names is None:
            tool_names = frozenset(completion.request.declared) if completion.request is not None else frozenset()
        called_name = calls_by_name(candidate.text, tool_names) if tool_names else None
        found = leaked_marker(candidate.text)
        is_mentioned = found is not None and mentions(completion.request, found[0])
        if called_name is not None and not (is_mentioned and _wants_no_call(completion.request)):
            yield Hit(
                f"a call of {quote_name(called_name)} in a model's own markup",
                candidate.at,
                candidate.text,
                severity=_severity(candidate),
                other_pointers=(
                    (*candidate.choice.at, "finish_reason"),
                    (*candidate.choice.at, "message", "tool_calls"),
                ),
            )
        elif found is not None and not is_mentioned:
            choice = candidate.choice
            is_call_lost = choice.finish_reason in ("tool_calls", "function_call") and not choice.called
            yield Hit(
                f"{quote_name(found[0])}: a model's own markup",
                candidate.at,
                candidate.text,
                severity=Severity.ERROR if is_call_lost else None,
                other_pointers=((*choice.at, "finish_reason"),) * is_call_lost,
                character=found.start(),
            )
    for call, text in argument_texts(completion):
        if may_hold_markup(text):
            for value in strings(text if call.parsed is None else call.parsed.value):
                found = left_in_argument(value)
                if found is not None and not mentions(completion.request, found[0]):
                    is_json_beside = call.parsed is None and parse_json(without_markers(text)) is not None
                    yield Hit(
                        f"{quote_name(found[0])}: a model's own markup in arguments",
                        call.arguments_at,
                        text,
                        other_pointers=(call.arguments_at,) * is_json_beside,
                    )
                    break


def _wants_no_call(request: Request | None) -> bool:
    return request is not None and request.value.get("tool_choice") == "none"


def _severity(text: ChoiceText) -> Severity:
    """Return an error, or a warning for a call in reasoning if the message makes calls, too: then it is not lost."""
    return Severity.WARNING if text.name != "content" and text.choice.calls else Severity.ERROR
