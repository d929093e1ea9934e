"""The tokens of `logprobs`, joined, are not the text of the message.

The tokens of `logprobs.content` join to `message.content`, and those of `logprobs.refusal` join to `message.refusal`.
They are joined as strings, or as bytes if a character spans several tokens. If the end of the answer cuts the last
character in two, the text may lack this character, or have a replacement character instead.

## Why it matters
Readers match the tokens with the text, to colour it by certainty or to find the probability of one word. If the list
also holds tokens of the reasoning or of a template, every token is matched with the wrong part of the text.

## What to do
* As a server's author: List in `logprobs.content` exactly the tokens of `content`. Leave out the tokens of the
  reasoning, of the template and of tool calls, and the tokens after a stop sequence.
* As a client's user: Compare the joined tokens with the text before you use positions. If they differ, search for the
  text within the joined tokens, or do not use the log probabilities.

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
from isogloss.validator.rules.completion.logprobs._tokens import (
    TokenList,
    bytes_of_token,
    encoded,
    texts_of_tokens,
    token_lists,
)
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    lacks="tokens",
    sources=(
        Citation("API reference, the chat completion object: logprobs, content", "2026-04"),
        Citation("recorded OpenAI answers: 31 lists of tokens, all of which join to the text", "2026-08"),
    ),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each list of tokens that makes another text than the one beside it, if neither is empty."""
    for tokens in token_lists(completion):
        if tokens.text and tokens.tokens and not _joins(tokens):
            yield Hit("the tokens do not join to the text of the message", tokens.at, tokens.value)


def _joins(tokens: TokenList) -> bool:
    text, token_texts = tokens.text or "", texts_of_tokens(tokens.tokens)
    if token_texts is None or "".join(token_texts) == text:
        return True
    token_bytes = [bytes_of_token(token) for token in tokens.tokens]
    joined = b"".join(
        encoded(token_text) if data is None else data for token_text, data in zip(token_texts, token_bytes, strict=True)
    )
    return encoded(text) == joined or text in (joined.decode(errors="replace"), joined.decode(errors="ignore"))
