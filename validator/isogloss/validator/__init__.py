"""Validate bytes and return findings. Programs import from here; the other modules are for the command line.

    from isogloss.validator import check, fold, schemas

    for finding in check(answer, dialect="groq").findings:
        print(finding.severity.label, finding.rule, finding.pointer, finding.message)

Each module is imported only when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isogloss import schemas
    from isogloss.validator.api import Result, check, fold
    from isogloss.validator.examining.expectations import Expectation
    from isogloss.validator.findings import Finding, Severity
    from isogloss.validator.hooks import ResponseHook

    __version__: str

__all__ = ["Expectation", "Finding", "ResponseHook", "Result", "Severity", "__version__", "check", "fold", "schemas"]

_MODULES = {
    "Expectation": "isogloss.validator.examining.expectations",
    "Finding": "isogloss.validator.findings",
    "ResponseHook": "isogloss.validator.hooks",
    "Result": "isogloss.validator.api",
    "Severity": "isogloss.validator.findings",
    "check": "isogloss.validator.api",
    "fold": "isogloss.validator.api",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    if name == "schemas":
        return import_module("isogloss.schemas")
    if name == "__version__":
        return import_module("importlib.metadata").version("isogloss")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
