r"""A `\uD800`-`\uDFFF` escape stands without its other half.

## Why it matters
Half of a surrogate pair is not a character. Strict parsers refuse it. Lenient ones return a string that fails later,
when it is encoded again to be stored or sent. In streams, the cause is an emoji whose halves went into two chunks.

## What to do
* As a server's author: Cut the text of a stream only between whole characters; in JavaScript and Java that means never
  between the two halves of a surrogate pair. Hold the first half back until the second has arrived.
* As a client's user: Join the pieces of a stream before you encode the text, since the halves may meet again there.
  Replace a half that is still alone at the end (`errors="replace"`) before you store or send the text.

## Bad
```text
{"content": "\ud83d"}
```

## Good
```text
{"content": "\ud83d\ude00"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("RFC 8259, 8.2: software that receives unpaired surrogates behaves unpredictably", "2017-12"),),
    replaces=("replacement-character",),
    reach="answer",
    hides=("call", "text", "tokens"),
)
