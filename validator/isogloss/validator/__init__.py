"""The validator: bytes in, findings out. ``check`` is the way in for programs; all else is for the command line.

    from isogloss.validator import check

    for finding in check(answer, dialect="groq").findings:
        print(finding.severity.label, finding.rule, finding.pointer, finding.message)

Nothing is imported until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isogloss.validator.api import Result, check
    from isogloss.validator.findings import Finding, Severity

__all__ = ["Finding", "Result", "Severity", "check"]

_HOME = {"Finding": "findings", "Result": "api", "Severity": "findings", "check": "api"}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
