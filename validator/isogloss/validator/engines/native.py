"""Import jsonschema-rs.

If an interrupt arrives during the import, it waits until the import is complete. Otherwise the extension would panic.
"""

from isogloss.validator.interrupts import hold

with hold():
    import jsonschema_rs

__all__ = ["jsonschema_rs"]
