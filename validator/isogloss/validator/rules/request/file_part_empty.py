"""A file part has neither data nor an id.

Such a part has `file_data`, or the `file_id` of an uploaded file. A `filename` alone says nothing about the content.

## Why it matters
There is no file for the model to read; the request is refused.

## What to do
* As a server's author: Answer 400 and name the part; a model that gets no file invents its content.
* As a client's user: Put the content into `file_data` as a data URL, or upload the file first and send its `file_id`.
  Check the code that reads the file: it may have got nothing.

## Bad
```json
{"type": "file", "file": {"filename": "report.pdf"}}
```

## Good
```json
{"type": "file", "file": {"file_id": "file-6F2ksmvXxt4VdoqmHRw6kL"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, obj

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("API reference, create chat completion: user message, file content part", "2026-04"),),
    replaces=("wrong-format",),
    reach="inside",
    needs=("file parts",),
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each file that has neither `file_data` nor `file_id`."""
    for message in request.messages:
        for at, part in message.parts:
            file = obj(part.get("file"))
            if part.get("type") == "file" and file is not None and not (file.get("file_data") or file.get("file_id")):
                yield Hit("the file has neither `file_data` nor `file_id`", (*at, "file"), file)
