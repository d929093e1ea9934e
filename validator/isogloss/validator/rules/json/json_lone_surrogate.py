r"""A `\uD800`-`\uDFFF` escape stands without its other half.

## Why it matters
Half of a surrogate pair is no character. Strict parsers refuse it, lenient ones hand on a string that fails later,
when it is encoded again to be stored or sent. In streams it comes of an emoji whose halves went into two chunks.

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

__all__ = ["RULE"]

RULE = Rule(
    name="json-lone-surrogate",
    severity=Severity.ERROR,
    summary="A `\\uD800`-`\\uDFFF` escape stands without its other half.",
    since="0.1.0",
    sources=(Citation("RFC 8259, 8.2: software that receives unpaired surrogates behaves unpredictably", "2017-12"),),
)
