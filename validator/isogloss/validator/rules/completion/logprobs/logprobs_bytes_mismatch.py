"""The bytes of a token are not its text in UTF-8.

A token that holds only a part of a character has no text of its own. The rule does not compare the placeholder that a
server writes instead. It reports the first token of each list whose bytes are wrong.

## Why it matters
Readers join the bytes to get the text of tokens that hold only a part of a character. If the bytes of a token with
whole characters are wrong, the whole text is wrong.

## What to do
* As a server's author: Fill `bytes` with the UTF-8 bytes of the token as unsigned integers, from the tokenizer and not
  from the displayed text. If you do not have them, send null.
* As a client's user: Use the text of the tokens where they hold whole characters, and do not join the bytes for this
  server.

## Bad
```json
{"token": " é", "logprob": -0.1, "bytes": [32, 233], "top_logprobs": []}
{"token": "Yes", "logprob": -0.1, "bytes": [78, 111], "top_logprobs": []}
```

## Good
```json
{"token": " é", "logprob": -0.1, "bytes": [32, 195, 169], "top_logprobs": []}
{"token": "\\\\xf0\\\\x9f", "logprob": -0.1, "bytes": [240, 159], "top_logprobs": []}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion.logprobs._tokens import bytes_of_token, encoded, texts_of_tokens, token_lists
from isogloss.validator.secrets import mask
from isogloss.validator.views import Completion, Json

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: logprobs, bytes", "2026-04"),
        Citation("recorded OpenAI answers: alike in all of them", "2026-08"),
    ),
)

_MOST_TEXTS, _LONGEST_TEXT = 4096, 64
_PLACEHOLDERS = ("\ufffd", "\\x")
"""What servers write if a token has no text: replacement characters, or escapes, such as OpenAI's ``bytes:\\xf0``."""


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for the first token in each list whose text and bytes differ. Alternatives are checked, too."""
    for tokens in token_lists(completion):
        found = _first_difference(tokens.every)
        if found is not None:
            at = (*tokens.pointer_of(found), "bytes")
            yield Hit("the bytes are not the token's text in UTF-8", at, found["bytes"])


class _BytesOfTexts(dict[str, list[int]]):
    """The bytes of texts in UTF-8. Those of short ones are remembered: a model has few tokens, and repeats them."""

    def __missing__(self, text: str) -> list[int]:
        found = [*encoded(text)]
        if len(text) <= _LONGEST_TEXT:
            if len(self) >= _MOST_TEXTS:
                self.clear()
            self[text] = found
        return found


_BYTES = _BytesOfTexts()


def _first_difference(tokens: list[Json]) -> Json | None:
    texts = texts_of_tokens(tokens)
    if texts is not None and [*map(_BYTES.__getitem__, texts)] == [*map(dict.get, tokens, repeat("bytes"))]:
        return None  # as in most lists
    for token in tokens:
        text, listed = token.get("token"), token.get("bytes")
        if isinstance(text, str) and isinstance(listed, list):
            expected = encoded(text)
            if [*expected] != listed and not _may_differ(text, expected, bytes_of_token(token)):
                return token
    return None


def _may_differ(text: str, expected: bytes, data: bytes | None) -> bool:
    """Return whether bytes may differ from the text: they are no bytes, or the text has a placeholder or is masked."""
    if data is None or any(placeholder in text for placeholder in _PLACEHOLDERS):
        return True
    return expected == mask(data)  # a secret key: its text was masked when the capture was read
