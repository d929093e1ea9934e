"""The tokens of `logprobs` do not join to the text they are said to be of.

The tokens of `logprobs.content` make `message.content`, those of `logprobs.refusal` make `message.refusal`: as
strings, or as bytes where a character spans several tokens. A last character that the end of the answer cut in two may
be missing from the text, or be a replacement character there.

## Why it matters
Readers lay the tokens over the text, to colour it by certainty or to find the probability of one word. A list that
holds the tokens of the reasoning too, or tokens of a template, puts every one of them at the wrong place.

## What to do
* As a server's author: List in `logprobs.content` exactly the tokens of `content`: none of the reasoning, of the
  template, of a tool call, or behind a stop sequence.
* As a client's user: Compare the joined tokens with the text before you use positions. If they differ, search for the
  text within the joined tokens, or do without.

## Bad
```json
{"message": {"content": "Yes."}, "logprobs": {"content": [
  {"token": "No", "logprob": -0.1, "bytes": [78, 111], "top_logprobs": []}]}}
```

## Good
```json
{"message": {"content": "No"}, "logprobs": {"content": [
  {"token": "No", "logprob": -0.1, "bytes": [78, 111], "top_logprobs": []}]}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._tokens import TokenList, bytes_of, encoded, text_of, token_lists
from isogloss.validator.views import Completion

__all__ = ["RULE", "check"]

RULE = Rule(
    name="logprobs-text-mismatch",
    severity=Severity.WARNING,
    summary="The tokens of `logprobs` do not join to the text they are said to be of.",
    since="0.1.0",
    sources=(
        Citation("API reference, the chat completion object: logprobs, content", "2026-04"),
        Citation("recorded OpenAI answers: 31 lists of tokens, all of which join to the text", "2026-08"),
    ),
    needs=("logprobs",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each list of tokens that makes another text than the one beside it, if neither is empty."""
    for tokens in token_lists(completion):
        if tokens.text and tokens.tokens and not _joins(tokens):
            yield Hit("the tokens do not join to the text of the message", tokens.at, tokens.value)


def _joins(tokens: TokenList) -> bool:
    text, parts = tokens.text or "", [text_of(token) for token in tokens.tokens]
    if None in parts or "".join(part or "" for part in parts) == text:
        return True
    sent = [bytes_of(token) for token in tokens.tokens]
    joined = b"".join(encoded(part or "") if data is None else data for part, data in zip(parts, sent, strict=True))
    return encoded(text) == joined or text in (joined.decode(errors="replace"), joined.decode(errors="ignore"))
