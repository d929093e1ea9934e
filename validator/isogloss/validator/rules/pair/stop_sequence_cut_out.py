"""A stop sequence was cut out of the content, and the answer goes on after it.

The rule applies if four or more of the vowels a, e, i, o and u are stop sequences, as in the `stop` cases of
`isogloss probe`. It reports a content that has sixteen or more lower-case Latin letters and none of these vowels: no
language has such words. For other stop sequences, nobody can know whether one is missing.

## Why it matters
The text is damaged, and nothing shows it. It also goes on where the client wanted it to end: an agent reads the input
of a tool from this text, which now also holds a result that the model invented.

## Who sends it
mlx-lm 0.32.2 answers "Hell! I am a small mdel." where `o` is the stop sequence.

## What to do
* As a server's author: End the answer at the first stop sequence. It is not enough to leave out its tokens.
* As a client's user: Send no `stop` to such a server. Cut the content at the first of your stop sequences yourself.

## Bad
```
{"stop":["a","e","i","o"],…}

{"message":{"role":"assistant","content":"Hll!  m  smll mdl. sk m nythng."},"finish_reason":"stop"}
```

## Good
```
{"stop":["a","e","i","o"],…}

{"message":{"role":"assistant","content":"H"},"finish_reason":"stop"}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation(
            "API reference, create chat completion: stop, where the API will stop generating further tokens", "2026-04"
        ),
        Citation("recorded answers of mlx-lm 0.32.2: the sequence is missing, and the text goes on", "2026-11"),
    ),
    needs=("completion", "stop"),
)

_VOWELS = frozenset("aeiou")
_ENOUGH_VOWELS = 4
_ENOUGH_LETTERS = 16
_LETTERS = frozenset(ascii_lowercase)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each content with many letters and none of the vowels that should have ended it.

    At least four vowels must be stop sequences, and the content must have at least 16 letters from a to z.
    """
    stop = pair.request.value.get("stop")
    if not isinstance(stop, list):
        return
    vowels = _VOWELS.intersection(sequence for sequence in stop if isinstance(sequence, str))
    if len(vowels) < _ENOUGH_VOWELS:
        return
    for choice in pair.choices:
        content = choice.content or ""
        letters = sum(character in _LETTERS for character in content)
        if letters >= _ENOUGH_LETTERS and vowels.isdisjoint(content):
            yield Hit(
                f"{letters} lower-case letters without one of the vowels that are stop sequences: "
                "they were cut out, and the answer goes on",
                (*choice.at, "message", "content"),
                content,
            )
