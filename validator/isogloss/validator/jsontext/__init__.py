"""JSON texts: their faults, and where in them everything stands."""

from isogloss.validator.jsontext.duplicates import duplicate_keys
from isogloss.validator.jsontext.places import Places
from isogloss.validator.jsontext.scanner import MAX_DEPTH, MISSING, Fault, Scan, places, scan

__all__ = ["MAX_DEPTH", "MISSING", "Fault", "Places", "Scan", "duplicate_keys", "places", "scan"]
