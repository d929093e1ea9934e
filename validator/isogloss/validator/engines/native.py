"""Import jsonschema-rs as a whole: an interrupt waits until then, since in the middle it makes the extension panic."""

from isogloss.validator.interrupts import held_back

with held_back():
    import jsonschema_rs

__all__ = ["jsonschema_rs"]
