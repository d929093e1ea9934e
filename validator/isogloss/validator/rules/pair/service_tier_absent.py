"""`service_tier` was asked for, and the answer does not say which one it got.

This may be another tier than the requested one.

## Why it matters
The tier decides the price. A caller that asks for a cheap or a fast tier learns only from the answer whether it got
that tier.

## What to do
* As a server's author: Report the tier that was used in `service_tier`, in chunks of streams as well.
* As a client's user: Do not assume that you got the tier that you asked for: compare with the vendor's bill.

## Bad
```
{"service_tier":"flex",…}

{"id":"chatcmpl-1","object":"chat.completion",…}
```

## Good
```
{"service_tier":"flex",…}

{"id":"chatcmpl-1","object":"chat.completion","service_tier":"default",…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        Citation(
            "API reference, create chat completion: service_tier, which the response body will include", "2026-04"
        ),
    ),
    needs=("service_tier",),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit if the request names a service tier and the answer names none."""
    if pair.completion is None or not pair.request.value.get("service_tier"):
        return
    if pair.completion.value.get("service_tier") is None:
        value = pair.completion.value.get("service_tier", ABSENT)
        yield Hit("the answer does not name the service tier it was served with", ("service_tier",), value)
