"""JSON texts: their faults, and where in them everything stands."""

from isogloss.validator.jsontext.duplicates import duplicate_keys
from isogloss.validator.jsontext.places import Places
from isogloss.validator.jsontext.scanner import MAX_DEPTH, MISSING, Fault, Scan, places, places_of, scan
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
    "places",
    "places_of",
    "scan",
]
