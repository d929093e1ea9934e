"""Read a document that is an answer by itself, as most lines and files are."""

from __future__ import annotations

from isogloss.validator import jsontext
from isogloss.validator.captures.capture import Capture
from isogloss.validator.exchange import Exchange, Kind, Payload
from isogloss.validator.text import Text

__all__ = ["answer_alone"]


def answer_alone(
    capture: Capture, number: int, text: Text, kind: Kind | None, value: object, sound: bool
) -> Exchange | None:
    """Return the exchange of a document that is an answer and certainly no record, or ``None`` for any other document.

    If the user has a mapping, any document may be a record.
    """
    if kind == "completion":
        is_alone = isinstance(value, dict) and "choices" in value and "method" not in value
    else:
        is_alone = kind == "error" and isinstance(value, dict) and len(value) == 1 and "error" in value
    if kind is None or not is_alone or capture.mapping is not None or (not sound and jsontext.scan(text.data).elided):
        return None
    return Exchange(capture.name, number, text, (), None, Payload(kind, value, text, (), sound))
