"""Find the faults of JSON texts, and the places of everything in them.

The modules that read a text themselves are imported only when they are used, since most texts have no fault, and no
places in them are needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.validator.jsontext.duplicates import duplicate_keys, texts_with_duplicate_keys
from isogloss.validator.jsontext.missing import MISSING

if TYPE_CHECKING:
    from isogloss.validator.jsontext.places import Places
    from isogloss.validator.jsontext.scanner import Fault, Scan, places_of, scan
    from isogloss.validator.jsontext.spelling import Spelling
    from isogloss.validator.jsontext.walk import Walk

__all__ = [
    "MISSING", "Fault", "Places", "Scan", "Spelling", "Walk", "duplicate_keys", "places_of", "scan",
    "texts_with_duplicate_keys",
]  # fmt: skip

_MODULES = {
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

    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return found
