"""There are more completion tokens than `max_completion_tokens` or `max_tokens` allows.

The limit applies to each choice and includes reasoning tokens. The older `max_tokens` does not cover reasoning tokens,
so the rule compares it with the number of the other tokens. If the usage is missing or within the limit, the rule
counts the words of the content. Most tokenizers make no token of more than one word, and no tokenizer is expected to
make one of more than four. OpenAI's search models (`…-search-preview`) ignore the limit, so the rule skips their
answers.

## Why it matters
Callers use the limit to cap the price of an answer. A server that ignores it, or counts something else, spends more
than the caller agreed to.

## What to do
* As a server's author: Count all generated tokens of a choice, reasoning included, against `max_completion_tokens`, and
  end with `length`. Read both names of the option.
* As a client's user: Send the name of the limit that the server documents, and set a limit of your own on time or
  length for streams. Compare the usage with what you allowed.

## Bad
```
{"max_completion_tokens":10,…}

{"usage":{"prompt_tokens":8,"completion_tokens":25,"total_tokens":33},…}
```

## Good
```
{"max_completion_tokens":10,…}

{"usage":{"prompt_tokens":8,"completion_tokens":10,"total_tokens":18},…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import Json, Request, integer, obj

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, create chat completion: max_completion_tokens, max_tokens", "2026-04"),
        Citation("recorded OpenAI answers: within the limit in all but those of search models", "2026-08"),
        Citation("maruel/genai, recorded answers of gpt-4o-mini-search-preview: 684 and 545 tokens of 16", "2026-04"),
        Citation("arXiv:2503.13423, SuperBPE: a token may span several words", "2025-03"),
    ),
    needs=("completion", "token limit"),
)

_WITHOUT_LIMIT = ("gpt-4o-search-preview", "gpt-4o-mini-search-preview")
_MOST_WORDS = 4
"""The largest number of words that a token is assumed to have. Few tokenizers join words at all."""


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the number of completion tokens if it exceeds the limit times the number of choices.

    Otherwise yield a hit for each content that has too many words for the limit.
    """
    name, limit = _limit(pair.request)
    completion = pair.completion
    if completion is None or not limit or (completion.model or "").startswith(_WITHOUT_LIMIT):
        return
    usage = completion.usage or {}
    used = integer(usage.get("completion_tokens"))
    if used is not None and used > limit:
        allowed = limit * max(1, len(completion.choices))
        counted = used if name == "max_completion_tokens" else used - _reasoning_tokens(usage)
        if counted > allowed:
            message = f"{counted} completion tokens where {name} allows {allowed}"
            yield Hit(message, ("usage", "completion_tokens"), used)
            return
    max_words = limit * _MOST_WORDS
    for choice in completion.choices:
        content = choice.content
        if content is None or len(content) < 2 * max_words:  # too short for more words, even of one letter each
            continue
        words = len(content.split())
        if words > max_words:
            message = f"{words} words where {name} allows {count_of(limit, 'token')}"
            yield Hit(message, (*choice.at, "message", "content"))


def _limit(request: Request) -> tuple[str, int]:
    """Return the name and the value of the limit that applies, or an empty name and 0 if there is no limit."""
    for name in ("max_completion_tokens", "max_tokens"):
        limit = request.value.get(name)
        if type(limit) is int and limit > 0:
            return name, limit
    return "", 0


def _reasoning_tokens(usage: Json) -> int:
    details = obj(usage.get("completion_tokens_details")) or {}
    return integer(details.get("reasoning_tokens")) or 0
