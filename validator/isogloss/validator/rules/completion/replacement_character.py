"""The text of an answer holds U+FFFD, which replaces bytes that are not UTF-8.

The rule reports nothing if the request holds the character itself, or if the content names it.

## Why it matters
A character is lost and cannot be restored. For example, two tokens together made an emoji or a Chinese character, but
the server decoded each token by itself, and a part of a character cannot be decoded. The user sees two or three
replacement characters instead of one character.

## Who sends it
Servers that decode each token by itself, or cut a buffer between bytes
([Luce-Org/lucebox#641](https://github.com/Luce-Org/lucebox/pull/641),
[farion1231/cc-switch#1923](https://github.com/farion1231/cc-switch/pull/1923)), and those that do not drop the half
character at the limit of tokens ([kekzl/imp#1310](https://github.com/kekzl/imp/issues/1310)).

## What to do
* As a server's author: Keep the bytes of an unfinished character until the next token completes it, and drop what is
  unfinished at the end. In a gateway, decode a stream incrementally, and never chunk by chunk.
* As a client's user: Repeat the request without `stream`, and report the bug to the server's authors. If your own code
  decodes the bytes of the stream, check that code first.

## Bad
```
data: {"choices":[{"index":0,"delta":{"content":"Hi \\ufffd"}}]}
data: {"choices":[{"index":0,"delta":{"content":"\\ufffd"}}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"content":"Hi \\ud83d\\ude00"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._texts import argument_texts, mentions, texts
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("The Unicode Standard 16.0, 23.8 Specials: what U+FFFD stands for", "2024-09"),
        Citation("recorded OpenAI answers: none in 1,384 completions and streams", "2026-11"),
        Citation("Luce-Org/lucebox#641", "2026-08"),
    ),
    needs=("marks",),
    overwritten=("character",),
)

_REPLACEMENT = "\ufffd"
_NAMES = ("FFFD", "fffd", "eplacement character")


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each text of an answer that holds the character, unless the request holds it, too.

    Content and reasoning that name the character are left alone.
    """
    found = [
        (one.at, one.text)
        for one in texts(completion)
        if _REPLACEMENT in one.text and not any(name in one.text for name in _NAMES)
    ]
    found += [(call.arguments_at, text) for call, text in argument_texts(completion) if _REPLACEMENT in text]
    for at, text in found if found and not mentions(completion.request, _REPLACEMENT) else ():
        lost = count_of(text.count(_REPLACEMENT), "lost character")
        yield Hit(f"{lost}: U+FFFD in place of text", at, text, character=text.index(_REPLACEMENT))
