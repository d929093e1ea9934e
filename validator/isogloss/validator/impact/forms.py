"""Name the form of a value. A case is evidence on a finding only if their values have the same form."""

from __future__ import annotations

from isogloss.validator.pointer import ABSENT

__all__ = ["WHOLE", "form_of"]

WHOLE = "whole"
"""The form for findings about a payload, a stream or an exchange as a whole."""

_FORMS: dict[type, str] = {type(ABSENT): "absent", type(None): "null", bool: "boolean", int: "integer", float: "number"}
_FORMS_IF_FILLED: dict[type, str] = {str: "string", list: "array"}


def form_of(value: object, path: str) -> str:
    """Return the form of the value at a path: ``absent``, ``null``, ``empty string``, ``string`` and so on.

    The rule and the form together distinguish a value of another type from another value of the right type. Values of
    one form count as the same, for example all strings that ``unknown-value`` finds. If there is no path, the form is
    :data:`WHOLE`: there, the rule alone says what is wrong.
    """
    if not path:
        return WHOLE
    form = _FORMS.get(type(value))
    if form is not None:
        return form
    form = _FORMS_IF_FILLED.get(type(value), "object")
    return form if value else f"empty {form}"
