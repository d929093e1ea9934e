"""The reference JSON Schemas (draft 2020-12) of the OpenAI Chat Completions API, as data.

Each document is stored as it was written. It has closed objects, unions that dispatch on their discriminator, and five
kinds of annotation:

* ``x-severity`` (``warning`` or ``note``) is the severity of a violation of the value constraint beside it. Without it,
  and for a wrong type, a violation is an error.
* ``x-null`` is the severity of null in place of the type beside it, and ``x-unknown`` that of properties that a closed
  object does not have. At the top of a document, ``x-unknown`` is for all its objects. Without them, these are notes.
* ``x-documented-required`` lists properties that the published reference requires and OpenAI's servers omit.
* ``$comment`` names the decision in ``openai/DECISIONS.md`` that ended a disagreement between the sources.

Everything is read on first use; nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from isogloss.schemas.dialect_files import FACTS, dialect, dialect_names, dialect_schema, dialects, inherit, slug_of
from isogloss.schemas.effective import effective
from isogloss.schemas.variants import VARIANTS, self_contained, without_annotations

if TYPE_CHECKING:
    from referencing import Registry

__all__ = [
    "FACTS", "NAMES", "VARIANTS", "bundle", "decisions", "dialect", "dialect_bundle", "dialect_names", "dialect_schema",
    "dialects", "effective", "inherit", "load", "registry", "slug_of", "validation_document",
]  # fmt: skip

NAMES: tuple[str, ...] = ("completion", "chunk", "request", "error")
"""The documents that each describe a kind of payload. The document ``common`` holds what they share."""


@cache
def load(name: str) -> dict[str, Any]:
    """Return the document called ``name`` (one of ``NAMES``, or ``common``) as authored.

    The value is shared by all callers and must not be changed. An unknown name raises ``KeyError``.
    """
    if name not in (*NAMES, "common"):
        raise KeyError(name)
    source = Path(__file__).with_name("openai") / f"{name}.json"
    document: dict[str, Any] = orjson.loads(source.read_bytes())
    return document


@cache
def decisions() -> list[dict[str, Any]]:
    """Return the differences between sources that a decision settled: decision, aspect, paths, and what they are about.

    The value is shared by all callers and must not be changed.
    """
    rows: list[dict[str, Any]] = orjson.loads((Path(__file__).with_name("openai") / "decisions.json").read_bytes())
    return rows


@cache
def registry() -> Registry[Any]:
    """Return the registry in which every reference between the documents resolves, without a network."""
    from referencing import Registry, Resource

    documents = [load(name) for name in (*NAMES, "common")]
    return Registry().with_resources([(document["$id"], Resource.from_contents(document)) for document in documents])


def bundle(name: str, variant: str = "reference") -> dict[str, Any]:
    """Return a new, self-contained document that any draft 2020-12 validator can use as it is.

    All references are local, and no ``x-`` keyword and no comment is left; ``$id`` names the version of isogloss.
    ``variant`` is a key of ``VARIANTS``: ``reference`` as authored, ``open`` without the constraints whose violation
    is but a note (the prefix of ``id``) and with unknown properties allowed, ``errors`` without those whose violation
    is no error, ``strict`` with the properties that only the published reference requires.
    Raises ``KeyError`` for an unknown name or variant.
    """
    document = without_annotations(_bundle(name, variant))
    document["$id"] = f"urn:isogloss:{_version()}:{name}:{variant}"
    return document


def dialect_bundle(name: str, dialect: Mapping[str, Any], variant: str = "strict") -> dict[str, Any]:
    """Return the schema of ``name`` with a dialect's deviations applied, self-contained as by :func:`bundle`.

    ``dialect`` is complete with what it inherits; what of it nobody could verify is left out. With ``strict``, the
    schema accepts a payload exactly when the dialect explains everything that the reference has to say about it.
    """
    sources = dialect["sources"]
    verified = [fact for fact in dialect["deviations"] if sources[fact["source"]]["confidence"] != "unverified"]
    document = effective(_bundle(name, variant), name, verified)
    document["$id"] = f"urn:isogloss:{_version()}:dialect:{dialect['slug']}:{name}:{variant}"
    return without_annotations(document)


@cache
def _version() -> str:
    from importlib.metadata import version  # only exports need it

    return version("isogloss")


def validation_document(name: str, variant: str = "strict") -> dict[str, Any]:
    """Return the self-contained document that payloads are judged by: by default ``strict``, with its annotations.

    A violation is classified by the annotations of the subschema that it comes from.
    The value is shared by all callers and must not be changed. Raises ``KeyError`` as :func:`bundle` does.
    """
    return _bundle(name, variant)


@cache
def _bundle(name: str, variant: str) -> dict[str, Any]:
    if name not in NAMES:
        raise KeyError(name)
    change = VARIANTS[variant]
    document = self_contained(load(name), load("common"))
    document["$id"] = f"urn:isogloss:bundle:{name}:{variant}"
    return change(document)
