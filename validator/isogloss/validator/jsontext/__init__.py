"""JSON texts: their faults, and where in them everything stands.

What reads a text itself is imported when it is used: most texts have no fault, and nothing in them is looked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.validator.jsontext.duplicates import duplicate_keys, texts_with_duplicate_keys
from isogloss.validator.jsontext.missing import MISSING

if TYPE_CHECKING:
    from isogloss.validator.jsontext.places import Places
    from isogloss.validator.jsontext.scanner import MAX_DEPTH, Fault, Scan, places_of, scan
    from isogloss.validator.jsontext.spelling import Spelling
    from isogloss.validator.jsontext.walk import Walk

__all__ = [
    "MAX_DEPTH",
    "MISSING",
    "Fault",
    "Places",
    "Scan",
    "Spelling",
    "Walk",
    "duplicate_keys",
    "places_of",
    "scan",
    "texts_with_duplicate_keys",
]

_HOME = {
    "MAX_DEPTH": "scanner",
    "Fault": "scanner",
    "Places": "places",
    "Scan": "scanner",
    "Spelling": "spelling",
    "Walk": "walk",
    "places_of": "scanner",
    "scan": "scanner",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return found
