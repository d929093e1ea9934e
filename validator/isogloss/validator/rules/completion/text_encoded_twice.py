"""The text of an answer was encoded in UTF-8 twice.

The bytes of each character beyond ASCII were taken for characters of Latin-1 or Windows-1252, so `é` arrives as `Ã©`,
and `’` as `â€™`. The rule reports a text only if all characters beyond ASCII in it can be such bytes, and the request
holds none of them.

## Why it matters
The text is valid UTF-8, so no client notices. The user reads `donâ€™t` for *don’t*, and the text is stored and sent
back with every turn.

## Who sends it
Proxies that decode what they read from a server without a character set, as `requests` does with a stream whose content
type names none
([databrickslabs/coding-agents-databricks-apps#97](https://github.com/databrickslabs/coding-agents-databricks-apps/issues/97));
glm models of Ollama's cloud were seen with it, too ([Miosa-osa/OSA#137](https://github.com/Miosa-osa/OSA/pull/137)).

## What to do
* As a server's author: Decode bodies and event streams as UTF-8, whatever the library takes for the default, and send
  `charset=utf-8` in the content type.
* As a client's user: Encode the text as Windows-1252 and decode it as UTF-8, if both succeed. Check first that it is
  not your own client that decodes wrongly.

## Bad
```json
{"role": "assistant", "content": "It isnâ€™t raining in the cafÃ©."}
```

## Good
```json
{"role": "assistant", "content": "It isn’t raining in the café."}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._texts import mentions, texts
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("Miosa-osa/OSA#137: bytes of UTF-8 taken for Latin-1 and encoded again", "2026-08"),
        Citation("diegosouzapw/OmniRoute#13419: Arabic and Persian texts without a character set", "2026-09"),
    ),
    needs=("encoded twice",),
)

_FREQUENT = frozenset("ÂÃâ")
"""First bytes of accents and of punctuation. One character with another first byte may be an accent before a quote."""


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each content or reasoning whose characters beyond ASCII are all bytes of UTF-8."""
    for one in texts(completion):
        characters = _misread(one.text)
        if not characters or (len(characters) == 1 and characters[0][0] not in _FREQUENT):
            continue
        if not any(mentions(completion.request, misread) for misread in dict.fromkeys(characters)):
            yield Hit(
                "UTF-8 that was taken for Latin-1 and encoded again", one.at, one.text,
                character=one.text.index(characters[0]),
            )  # fmt: skip


def _misread(text: str) -> list[str]:
    """Return the characters that were encoded twice, as they stand in the text, or nothing if that fits only some."""
    try:
        text.translate(_bytes_by_character()).encode("latin-1").decode("utf-8")
    except UnicodeError:
        return []
    return re.findall(r"[\xc2-\xf4][^\x00-\x7f\xc2-\xf4]+", text)


@cache
def _bytes_by_character() -> dict[int, int]:
    """Return the byte of each character that Windows-1252 has where Latin-1 has control characters."""
    characters = {byte: bytes([byte]).decode("cp1252", "ignore") for byte in range(0x80, 0xA0)}
    return {ord(character): byte for byte, character in characters.items() if character}
