"""Read captures that tests write."""

from __future__ import annotations

import io
import json
from typing import Any

from isogloss.validator import captures
from isogloss.validator.exchange import Exchange, Skipped


def read_all(
    content: Any, name: str = "capture", input_format: str | None = None, **options: Any
) -> list[Exchange | Skipped]:
    """Read a capture, and return all that is found. Its content is bytes, text, or a value to write as JSON."""
    data = (
        content
        if isinstance(content, bytes)
        else (content if isinstance(content, str) else json.dumps(content)).encode()
    )
    return list(captures.read(captures.Capture(io.BytesIO(data), name, **options), input_format))
