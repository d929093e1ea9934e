"""Schemas written as the packages for npm and Python that describe the same payloads."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from isogloss.cli.drift.alternatives import Node
from isogloss.cli.drift.shapes import Object, Shape, shape

NAMES = {
    "completion": "ChatCompletion",
    "chunk": "ChatCompletionChunk",
    "request": "ChatCompletionCreateParams",
    "error": "ErrorObject",
}


def _roots(documents: Mapping[str, Any]) -> dict[str, tuple[Node, ...]]:
    roots: dict[str, tuple[Node, ...]] = {kind: ((document, document),) for kind, document in documents.items()}
    roots["error"] = shape(roots["error"]).objects[""].properties["error"]  # both packages have the object inside
    return roots


def tarball(path: Path, documents: Mapping[str, Any], extra: str = "") -> Path:
    """Write a package for npm with declarations of the documents, and return its path.

    The declarations in ``extra`` are added to the file that declares errors.
    """
    types = {kind: f"export type {NAMES[kind]} = {_script(nodes)};\n" for kind, nodes in _roots(documents).items()}
    error = types.pop("error")
    files = {
        "package/resources/chat/completions/completions.d.ts": "".join(types.values()),
        "package/resources/shared.d.ts": error + extra,
    }
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def _script(nodes: Iterable[Node]) -> str:
    """Return the TypeScript type that the nodes describe."""
    found = shape(nodes)
    if found.free:
        return "unknown"
    parts = [one for one in ("null", "boolean") if one in found.types]
    parts += ["number"] if found.types & {"number", "integer"} else []
    parts += [json.dumps(word) for word in sorted(found.words)]
    parts += ["(string & {})"] if "string" in found.types and not found.closed else []
    parts += [f"Array<{_script(found.items) if found.items else 'unknown'}>"] if "array" in found.types else []
    parts += [_script_object(one) for one in found.objects.values()]
    return " | ".join(parts)


def _script_object(one: Object) -> str:
    rows = [f"{name}{'' if name in one.required else '?'}: {_script(nodes)};" for name, nodes in one.properties.items()]
    rows += [f"[key: string]: {_script(one.values)};"] if one.values else []
    return "{ " + " ".join(rows or ["[key: string]: unknown;"]) + " }"


def wheel(path: Path, documents: Mapping[str, Any]) -> Path:
    """Write a package for Python with types of the documents, and return its path."""
    places = {
        "completion": "openai/types/chat/chat_completion.py",
        "chunk": "openai/types/chat/chat_completion_chunk.py",
        "request": "openai/types/chat/completion_create_params.py",
        "error": "openai/types/shared/error_object.py",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for kind, nodes in _roots(documents).items():
            module = _Module(shape(nodes), "CompletionCreateParams" if kind == "request" else NAMES[kind])
            archive.writestr(places[kind], "\n".join(module.lines))
    return path


class _Module:
    """A module with a class for each object."""

    def __init__(self, root: Shape, name: str) -> None:
        self.lines = ["from typing import Any", "from ..._models import BaseModel"]
        self.count = 0
        self.lines.append(f"{name} = {self.type(root)}")

    def type(self, found: Shape) -> str:
        if found.free:
            return "object"
        plain = {"null": "None", "boolean": "bool", "integer": "int", "number": "float"}
        parts = [text for name, text in plain.items() if name in found.types]
        parts += [f"Literal[{', '.join(map(repr, sorted(found.words)))}]"] if found.words else []
        parts += ["str"] if "string" in found.types and not found.closed else []
        items = self.type(shape(found.items)) if found.items else "object"
        parts += [f"List[{items}]"] if "array" in found.types else []
        parts += [self.object(one) for one in found.objects.values()]
        return f"Union[{', '.join(parts)}]"

    def object(self, one: Object) -> str:
        if not one.properties:
            return f"Dict[str, {self.type(shape(one.values)) if one.values else 'object'}]"
        fields = {name: self.type(shape(nodes)) for name, nodes in one.properties.items()}
        self.count += 1
        name = f"Object{self.count}"
        self.lines += [f"class {name}(TypedDict, total=False):"]
        self.lines += [
            f"    {key}: {f'Required[{text}]' if key in one.required else text}" for key, text in fields.items()
        ]
        return name
