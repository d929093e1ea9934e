"""The content holds a model's thoughts, or the tag that ends them.

The rule reports content that begins with `<think>` (or `<thought>`, `[THINK]`, `◁think▷` and similar tags), and a
closing tag without an opening tag. It ignores tags in code, tags inside a sentence, and tags that the request mentions,
because a prompt may ask for them.

## Why it matters
The user reads the thoughts, or a lone `</think>`, as part of the answer. JSON in the content does not parse. The
thoughts are sent back with every turn, and have to be paid for every time.

## Who sends it
Servers without a parser for the model's reasoning, with one that waits for an opening tag that the chat template has
written already ([vllm-project/vllm#13025](https://github.com/vllm-project/vllm/pull/13025)), or with one that loses the
closing tag between two tokens of a stream
([tenstorrent/tt-inference-server#4386](https://github.com/tenstorrent/tt-inference-server/issues/4386)).

## What to do
* As a server's author: Split reasoning from content where you decode tokens to text, even if the chat template ends
  with the opening tag. Send the reasoning in a property of its own, or not at all.
* As a client's user: Set the server's reasoning parser (`--reasoning-parser`, `--reasoning-format`), or turn reasoning
  off. Remove everything up to the last closing tag before you parse or store the content.

## Bad
```json
{"role": "assistant", "content": "The user greets me.\\n</think>\\n\\nHello!"}
```

## Good
```json
{"role": "assistant", "content": "Hello!", "reasoning_content": "The user greets me."}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._texts import mentions, without_code
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("recorded OpenAI answers: none in 1,384 completions and streams", "2026-11"),
        Citation("tenstorrent/tt-inference-server#4386", "2026-09"),
        Citation("jundot/omlx#2108: `<think:opensource>` of Tencent Hy3", "2026-07"),
        Citation("vllm-project/vllm@efb3f69, minimax_m3_reasoning_parser.py: `<mm:think>` of MiniMax M3", "2026-11"),
        Citation("vllm-project/vllm@0172203, seedoss_reasoning_parser.py: `<seed:think>` of Seed-OSS", "2026-11"),
        Citation("recorded answers of groq, huggingface and fireworks: `<think>` at the beginning", "2026-11"),
    ),
    needs=("marks",),
)

_TAGS = r"(?:mm:|seed:)?(?:think|thinking|thought|thoughts|reasoning)(?::[a-z0-9_-]{1,20})?"
_HINTS = ("hink", "hought", "THINK", "THOUGHT", "easoning>")
_SENTENCE_BEFORE = frozenset(" \t\"'“”‘’(")


@cache
def _opening_pattern() -> re.Pattern[str]:
    """Return the expression that finds an opening tag of thoughts."""
    return re.compile(rf"<{_TAGS}>|\[THINK\]|◁think▷|<\|begin_of_thought\|>", re.IGNORECASE)


@cache
def _closing_pattern() -> re.Pattern[str]:
    """Return the expression that finds a closing tag of thoughts."""
    return re.compile(rf"</{_TAGS}>|\[/THINK\]|◁/think▷", re.IGNORECASE)


@cache
def _sentence_after_pattern() -> re.Pattern[str]:
    """Return the expression that matches the text behind a tag that is inside a sentence."""
    return re.compile(r"[ \t]+[\w(–—-]|[,.;:!?)\"'”’]")


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each content that begins with thoughts, or has a closing tag without its opening tag.

    Tags that the request mentions are left alone.
    """
    for choice in completion.choices:
        content = choice.content
        if not content or not any(hint in content for hint in _HINTS):
            continue
        found = _leading_tag(content) or _unopened_tag(content)
        if found is not None and not mentions(completion.request, found[0].replace("/", "")):
            problem = (
                "the end of thoughts that have no beginning" if "/" in found[0] else "the content begins with thoughts"
            )
            at = (*choice.at, "message", "content")
            yield Hit(f"{quote_name(found[0])}: {problem}", at, content, character=found.start())


def _leading_tag(content: str) -> re.Match[str] | None:
    """Return the opening tag at the beginning of a content, or ``None`` if there is none.

    If a sentence goes on behind the tag, the tag counts only if a closing tag follows.
    """
    found = _opening_pattern().match(content, len(content) - len(content.lstrip()))
    if found is None or not _sentence_after_pattern().match(content, found.end()):
        return found
    closing = _closing_pattern().search(without_code(content), found.end())
    return found if closing is not None and not _inside_sentence(content, closing) else None


def _unopened_tag(content: str) -> re.Match[str] | None:
    """Return the first closing tag outside of code, or ``None`` if it was opened before or is inside a sentence."""
    text = without_code(content)
    closing = _closing_pattern().search(text)
    if closing is None or _opening_pattern().search(text, 0, closing.start()) or _inside_sentence(text, closing):
        return None
    return closing


def _inside_sentence(text: str, found: re.Match[str]) -> bool:
    before = text[found.start() - 1 : found.start()]
    return before in _SENTENCE_BEFORE or _sentence_after_pattern().match(text, found.end()) is not None
