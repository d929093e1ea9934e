"""Write schemas as packages for npm and for Python that describe the same payloads."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from isogloss.cli.drift.alternatives import Document, Node
from isogloss.cli.drift.shapes import Object, Shape, shape

NAMES = {
    "completion": "ChatCompletion",
    "chunk": "ChatCompletionChunk",
    "request": "ChatCompletionCreateParams",
    "error": "ErrorObject",
}


def _roots(documents: Mapping[str, Any]) -> dict[str, tuple[Node, ...]]:
    roots: dict[str, tuple[Node, ...]] = {
        kind: ((document, Document(document)),) for kind, document in documents.items()
    }
    roots["error"] = shape(roots["error"]).objects[""].properties["error"]  # both packages describe the object inside
    return roots


def write_tarball(path: Path, documents: Mapping[str, Any], extra: str = "") -> Path:
    """Write a package for npm with declarations of the documents, and return its path.

    The declarations in ``extra`` are added to the file that declares errors.
    """
    types = {
        kind: f"export type {NAMES[kind]} = {_typescript_type(nodes)};\n" for kind, nodes in _roots(documents).items()
    }
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


def _typescript_type(nodes: Iterable[Node]) -> str:
    """Return the TypeScript type that the nodes describe."""
    allowed = shape(nodes)
    if allowed.free:
        return "unknown"
    parts = [name for name in ("null", "boolean") if name in allowed.types]
    parts += ["number"] if allowed.types & {"number", "integer"} else []
    parts += [json.dumps(word) for word in sorted(allowed.words)]
    parts += ["(string & {})"] if "string" in allowed.types and not allowed.closed else []
    parts += (
        [f"Array<{_typescript_type(allowed.items) if allowed.items else 'unknown'}>"]
        if "array" in allowed.types
        else []
    )
    parts += [_typescript_object(obj) for obj in allowed.objects.values()]
    return " | ".join(parts)


def _typescript_object(obj: Object) -> str:
    rows = [
        f"{name}{'' if name in obj.required else '?'}: {_typescript_type(nodes)};"
        for name, nodes in obj.properties.items()
    ]
    rows += [f"[key: string]: {_typescript_type(obj.values)};"] if obj.values else []
    return "{ " + " ".join(rows or ["[key: string]: unknown;"]) + " }"


def write_wheel(path: Path, documents: Mapping[str, Any]) -> Path:
    """Write a package for Python with types of the documents, and return its path."""
    module_paths = {
        "completion": "openai/types/chat/chat_completion.py",
        "chunk": "openai/types/chat/chat_completion_chunk.py",
        "request": "openai/types/chat/completion_create_params.py",
        "error": "openai/types/shared/error_object.py",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for kind, nodes in _roots(documents).items():
            module = _Module(shape(nodes), "CompletionCreateParams" if kind == "request" else NAMES[kind])
            archive.writestr(module_paths[kind], "\n".join(module.lines))
    return path


class _Module:
    """A Python module with a class for each object of a schema."""

    def __init__(self, root: Shape, name: str) -> None:
        self.lines = ["from typing import Any", "from ..._models import BaseModel"]
        self.class_count = 0
        self.lines.append(f"{name} = {self.type_of(root)}")

    def type_of(self, allowed: Shape) -> str:
        """Return the Python type of a shape. Classes for its objects are added to the module."""
        if allowed.free:
            return "object"
        simple_types = {"null": "None", "boolean": "bool", "integer": "int", "number": "float"}
        parts = [text for name, text in simple_types.items() if name in allowed.types]
        parts += [f"Literal[{', '.join(map(repr, sorted(allowed.words)))}]"] if allowed.words else []
        parts += ["str"] if "string" in allowed.types and not allowed.closed else []
        items = self.type_of(shape(allowed.items)) if allowed.items else "object"
        parts += [f"List[{items}]"] if "array" in allowed.types else []
        parts += [self.type_of_object(obj) for obj in allowed.objects.values()]
        return f"Union[{', '.join(parts)}]"

    def type_of_object(self, obj: Object) -> str:
        """Return the Python type of an object. If the object has properties, a class for it is added to the module."""
        if not obj.properties:
            return f"Dict[str, {self.type_of(shape(obj.values)) if obj.values else 'object'}]"
        fields = {name: self.type_of(shape(nodes)) for name, nodes in obj.properties.items()}
        self.class_count += 1
        name = f"Object{self.class_count}"
        self.lines += [f"class {name}(TypedDict, total=False):"]
        self.lines += [
            f"    {key}: {f'Required[{text}]' if key in obj.required else text}" for key, text in fields.items()
        ]
        return name
