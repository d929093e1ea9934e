"""Decode JSON by functions that are written in Python, to compare processor times with.

The ``json`` module has a decoder in Python beside the one in C. Like isogloss, it calls many functions and searches by
regular expressions. So both become slower alike on a machine that is slow or busy.
"""

from __future__ import annotations

import json
import json.scanner
import time
from collections.abc import Callable
from typing import Any

__all__ = ["ANSWER", "DECODED_BYTES", "decode_in_python", "is_fast"]

ANSWER: dict[str, Any] = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{
        "index": 0, "message": {"role": "assistant", "content": "a"}, "logprobs": None, "finish_reason": "stop",
    }],
}  # fmt: skip
_JSON = json.dumps([ANSWER] * 400)
DECODED_BYTES = len(_JSON)


def decode_in_python() -> None:
    """Decode ``DECODED_BYTES`` of JSON by the functions of the ``json`` module that are written in Python."""
    decoder = json.JSONDecoder()
    decoder.parse_string = json.decoder.py_scanstring
    json.scanner.py_make_scanner(decoder)(_JSON, 0)


_MEASURED = 32
"""How many calls are measured. One of them takes so little time that a processor may just be faster or slower."""


def is_fast(seconds: float, decodings: int) -> bool:
    """Return whether some processor time is at most a second, or that of so many calls of ``decode_in_python``."""
    return seconds < 1 or seconds < decodings * _processor_time(decode_in_python)


def _processor_time(work: Callable[[], object]) -> float:
    start = time.process_time()
    for _ in range(_MEASURED):
        work()
    return (time.process_time() - start) / _MEASURED
