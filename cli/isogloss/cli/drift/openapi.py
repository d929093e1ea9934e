"""Read an OpenAPI document: the schemas of the operation that makes chat completions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from isogloss.cli.configuration.named_files import read_json, read_named
from isogloss.cli.drift.described import Described, UnreadableSource, resolved
from isogloss.validator.captures.yaml.text import yaml_documents
from isogloss.validator.text import Text

__all__ = ["describe", "read"]

_OPERATION = "/chat/completions"


def read(path: Path) -> Described:
    """Read the schemas of chat completions from an OpenAPI document in JSON or YAML.

    The operation is the POST whose path ends in ``/chat/completions``. The schema of errors is that of its answers
    other than 200, or of the component called ``ErrorResponse``. Raises :class:`UnreadableSource`.
    """
    return describe(_load(path), path.name)


def describe(document: dict[str, Any], name: str) -> Described:
    """Return the schemas of an OpenAPI document from a file of this name. Raises :class:`UnreadableSource`."""
    operation = next(
        (
            methods["post"]
            for path, methods in _object(document, "paths").items()
            if str(path).endswith(_OPERATION) and isinstance(methods, dict) and "post" in methods
        ),
        None,
    )
    if not isinstance(operation, dict):
        raise UnreadableSource(f"{name}: no path ends in {_OPERATION}")
    info = _object(document, "info")
    return Described(
        name=f"{info.get('title', name)} {info.get('version', '')}".strip(),
        documents={kind: {**document, **schema} for kind, schema in _documents(operation, document)},
        bounds=True,
    )


def _load(path: Path) -> dict[str, Any]:
    if path.suffix == ".json":
        value = read_json(path, "the document").value
    else:
        try:
            value = orjson.loads(next(yaml_documents(Text(read_named(path))), Text(b"null")).data)
        except ValueError as error:
            raise UnreadableSource(f"{path}: {error}") from error
    if not isinstance(value, dict) or "openapi" not in value:
        raise UnreadableSource(f"{path} is not an OpenAPI document")
    return value


def _documents(operation: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    request = _schema(_content(_object(operation, "requestBody"), document), "application/json")
    if request:
        yield "request", request
    for status, response in _object(operation, "responses").items():
        content = _content(response, document)
        answer, chunk = (_schema(content, kind) for kind in ("application/json", "text/event-stream"))
        if str(status) == "200":
            variants = answer.get("oneOf", ())
            if not chunk and len(variants) == 2:  # one media type for both kinds of answer
                answer, chunk = variants
            yield from ((kind, schema) for kind, schema in (("completion", answer), ("chunk", chunk)) if schema)
        elif answer:
            yield "error", answer
            return
    error = _object(_object(document, "components"), "schemas").get("ErrorResponse")
    if isinstance(error, dict):
        yield "error", error


def _content(value: object, document: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = value.get("$ref") if isinstance(value, dict) else None
    return _object(resolved(document, reference) if isinstance(reference, str) else value, "content")


def _schema(content: Mapping[str, Any], media_type: str) -> dict[str, Any]:
    return _object(_object(content, media_type), "schema")


def _object(value: object, name: str) -> dict[str, Any]:
    """Return the object in a property of a value, or an empty object if there is none."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, dict) else {}
