"""Make the generated parts of docs/python.md: the interface for programs, as its docstrings describe it."""

from __future__ import annotations

import inspect
import re
import textwrap

from isogloss.validator import Expectation, Finding, ResponseHook, Result, arrow, check, fold

__all__ = ["parts"]


def parts() -> dict[str, str]:
    """Return the parts of the page by name: the interface of ``isogloss.validator``, and that for tables."""
    functions = (arrow.verdicts, arrow.findings, arrow.schema, arrow.verdict_schema, arrow.ddl)
    return {
        "interface": "\n".join(
            [*map(_function_section, (check, fold)), *map(_class_section, (ResponseHook, Result, Finding, Expectation))]
        ).rstrip(),
        "tables": "\n".join(map(_function_section, functions)).rstrip(),
    }


def _function_section(function: object) -> str:
    name = function.__name__  # type: ignore[attr-defined]
    signature = inspect.signature(function)  # type: ignore[arg-type]
    return (
        f"## {name}\n\n```text\n{_call(name, signature)} -> {signature.return_annotation}\n```\n\n{_text(function)}\n"
    )


def _call(name: str, signature: inspect.Signature) -> str:
    arguments = "".join(f"    {parameter},\n" for parameter in _parameters(signature))
    return f"{name}(\n{arguments})" if arguments else f"{name}()"


def _parameters(signature: inspect.Signature) -> list[str]:
    parameters, is_keyword_only = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not is_keyword_only:
            is_keyword_only = True
            parameters.append("*")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        parameters.append(f"{parameter.name}: {parameter.annotation}{default}")
    return parameters


def _class_section(class_: type) -> str:
    annotated = {
        name: annotation for name, annotation in inspect.get_annotations(class_).items() if not name.startswith("_")
    }
    fields = "\n".join(f"{name}: {annotation}" for name, annotation in annotated.items())
    if not annotated:
        fields = _call(class_.__name__, inspect.signature(class_))
    attributes = [
        textwrap.indent(f"* `{name}`: {_text(attribute)}", "  ").removeprefix("  ")
        for name, attribute in vars(class_).items()
        if not name.startswith("_") and (inspect.isfunction(attribute) or isinstance(attribute, property))
    ]
    attribute_list = "\n".join(attributes)
    return f"## {class_.__name__}\n\n```text\n{fields}\n```\n\n{_text(class_)}\n" + (
        f"\n{attribute_list}\n" if attribute_list else ""
    )


def _text(documented: object) -> str:
    """Return a docstring in Markdown: names in single backquotes, references without their role."""
    text = inspect.getdoc(documented) or ""
    return re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", text).replace("``", "`")
