"""An integer is written with a fraction or an exponent.

An example is `1760000000.0` or `1.76e9` in the place of `1760000000`. The rule checks `created`, the `index` of a
choice and the counts of `usage`. For JSON Schema such a number is an integer, so no schema rejects it. A number with a
fraction that is not zero is a finding of `wrong-type`.

## Why it matters
Most languages have two types of number. Readers in Go, Rust, Java or C# that expect an integer reject the number, and
with it an answer that has to be paid for. Python reads it and writes it back the same way, so that it reaches the next
reader.

## Who breaks
SiYuan, written in Go, and modelbench on SambaNova
([siyuan-note/siyuan#14787](https://github.com/siyuan-note/siyuan/issues/14787),
[mlcommons/modelbench#1287](https://github.com/mlcommons/modelbench/issues/1287)); clients of an AnythingLLM endpoint
([Mintplex-Labs/anything-llm#2926](https://github.com/Mintplex-Labs/anything-llm/issues/2926)).

## What to do
* As a server's author: Keep these values in an integer type until they are serialised. They become floats in
  spreadsheets, in Lua, and in code that computes an average or divides.
* As a client's user: In typed languages, read the number as a double and convert it until the server is fixed. Do not
  write the value back in this form, or the next reader fails.

## Bad
```json
{"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000.0}
```

## Good
```json
{"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.quoting import quote_name, quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._usage import COUNTS, DETAILS
from isogloss.validator.views import Completion, Json, items

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(12, 13),
    sources=(
        Citation("OpenAPI document openai/openai-openapi@f85dbe2: type integer for all of these", "2026-08"),
        Citation("JSON Schema draft 2020-12, Validation 6.1.1: a number with a zero fraction is an integer", "2022-06"),
        Citation("recorded OpenAI answers: written as integers in all of them", "2026-08"),
    ),
    needs=("float",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each integer of the reference that is written as a float.

    Properties that a vendor adds are not checked: a duration may be a whole number of seconds.
    """
    if type(completion.created) is float:
        yield from _float_hits(completion.value, ("created",), ())
    for position, choice in items(completion.value.get("choices")):
        if type(choice.get("index")) is float:
            yield from _float_hits(choice, ("index",), ("choices", position))
    usage = completion.usage
    if usage is not None:
        yield from _float_hits(usage, COUNTS, ("usage",))
        for name, counts in DETAILS.items():
            details = usage.get(f"{name}_details")
            if isinstance(details, dict) and float in map(type, details.values()):
                yield from _float_hits(details, counts, ("usage", f"{name}_details"))


def _float_hits(value: Json, property_names: tuple[str, ...], at: Pointer) -> Iterator[Hit]:
    for property_name in property_names:
        number = value.get(property_name)
        # An integer that does not fit in 64 bits is decoded as a float, too, in whatever form it is written.
        if type(number) is float and number.is_integer() and abs(number) < 2**63:
            yield Hit(
                f"{quote_name(property_name)} is an integer written as {quote_value(number)}",
                (*at, property_name),
                number,
            )
