"""Reading the types of the Python package from its source, without importing it.

The package has generated modules: classes of ``BaseModel`` and ``TypedDict``, and aliases of types. They are read as
syntax, so that a wheel of any version can be compared on any Python, and nothing of it runs.
"""

from __future__ import annotations

import ast
from typing import Any

from isogloss.cli.drift.described import Described, Unreadable
from isogloss.cli.drift.packages import Files
from isogloss.cli.drift.python_names import Names

__all__ = ["read"]

_ROOTS = {
    "completion": ("types/chat/chat_completion.py", "ChatCompletion"),
    "chunk": ("types/chat/chat_completion_chunk.py", "ChatCompletionChunk"),
    "request": ("types/chat/completion_create_params.py", "CompletionCreateParams"),
    "error": ("types/shared/error_object.py", "ErrorObject"),
}
_PLAIN = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
_ANY = ("Any", "object")
_ARRAYS = ("List", "list", "Iterable", "Sequence", "SequenceNotStr")
_MAPS = ("Dict", "dict", "Mapping")
_TRANSPARENT = ("Required", "NotRequired", "ClassVar")


def read(files: Files) -> Described:
    """Read the types of a package as schemas. Raises :class:`Unreadable`."""
    documents = {}
    names = Names(files)
    for kind, (path, name) in _ROOTS.items():
        reader = _Reader(names)
        schema = reader.reference(path, name)
        if kind == "error":  # the type is that of the object inside
            schema = {"type": "object", "required": ["error"], "properties": {"error": schema}}
        documents[kind] = {**schema, "$defs": reader.definitions}
    return Described(name=files.name, documents=documents)


class _Reader:
    """The types that one kind of payload needs, as definitions of a JSON Schema."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.package = names.files.name
        self.definitions: dict[str, Any] = {}

    def reference(self, path: str, name: str) -> dict[str, Any]:
        """Return a reference to the definition of a type. The definition is read when it is first needed."""
        path, found = self.names.find(path, name)
        key = f"{path.removesuffix('.py').replace('/', '.')}.{getattr(found, 'name', name)}"
        if key not in self.definitions:
            self.definitions[key] = {}
            if isinstance(found, ast.ClassDef):
                self.definitions[key] = self._class(path, found)
            else:
                self.definitions[key] = self.schema(path, found)
        return {"$ref": f"#/$defs/{key}"}

    def _class(self, path: str, node: ast.ClassDef) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        required: set[str] = set()
        unsure: set[str] = set()
        bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
        for base in bases:
            if base not in ("BaseModel", "TypedDict"):
                module, parent = self.names.find(path, base)
                if isinstance(parent, ast.ClassDef) and parent is not node:
                    whole = self._class(module, parent)
                    properties |= whole["properties"]
                    required |= set(whole["required"])
                    unsure |= set(whole["x-documented-required"])
        partial = any(one.arg == "total" and getattr(one.value, "value", True) is False for one in node.keywords)
        for field in node.body:
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            name = _alias(field) or field.target.id
            properties[name] = self.schema(path, field.annotation)
            wrapped = _generic(field.annotation)
            has_default = field.value is not None and not _needs_value(field.value)
            needed = wrapped == "Required" or (wrapped != "NotRequired" and not partial and not has_default)
            required = required | {name} if needed else required - {name}
            if has_default and _optional(field.annotation):
                unsure.add(name)  # of an answer, ``Optional`` means null or absent
        return {
            "type": "object",
            "properties": properties,
            "required": sorted(required),
            "x-documented-required": sorted(unsure),
        }

    def schema(self, path: str, node: ast.AST) -> dict[str, Any]:
        """Return the schema of a type as it is written in a module."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):  # a forward reference
            return self.schema(path, next(iter(self.names.parsed(node.value, path, node.lineno).body), ast.Pass()))
        if isinstance(node, ast.Expr):
            return self.schema(path, node.value)
        if isinstance(node, ast.Constant) and node.value is None:
            return {"type": "null"}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return {"anyOf": [self.schema(path, node.left), self.schema(path, node.right)]}
        if isinstance(node, ast.Name):
            if node.id in _PLAIN:
                return {"type": _PLAIN[node.id]}
            return {} if node.id in _ANY else self.reference(path, node.id)
        if isinstance(node, ast.Subscript):
            inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
            return self._subscript(path, node, inner)
        raise Unreadable(f"{self.package}: {path}:{getattr(node, 'lineno', 0)}: a type of an unknown form")

    def _subscript(self, path: str, node: ast.Subscript, inner: list[ast.expr]) -> dict[str, Any]:
        name = _generic(node)
        if name == "Literal":
            return {"enum": [one.value for one in inner if isinstance(one, ast.Constant)]}
        if name == "Annotated" or name in _TRANSPARENT:
            return self.schema(path, inner[0])
        if name == "Optional":
            return {"anyOf": [self.schema(path, inner[0]), {"type": "null"}]}
        if name == "Union":
            return {"anyOf": [self.schema(path, one) for one in inner]}
        if name in _ARRAYS:
            return {"type": "array", "items": self.schema(path, inner[0])}
        if name in _MAPS:
            return {"type": "object", "additionalProperties": self.schema(path, inner[1])}
        raise Unreadable(f"{self.package}: {path}:{node.lineno}: the type {name} is unknown")


def _generic(node: ast.AST) -> str:
    """Return the name of a generic type with parameters, or an empty text for any other type."""
    return node.value.id if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) else ""


def _optional(node: ast.AST) -> bool:
    """Return whether a type is an ``Optional``, or a union with ``None``, in either spelling of unions."""
    if isinstance(node, ast.BinOp):
        return any(_is_none(one) or _optional(one) for one in (node.left, node.right))
    if _generic(node) == "Union" and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        return any(_is_none(one) for one in node.slice.elts)
    return _generic(node) == "Optional"


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _keyword(node: ast.AST | None, name: str) -> ast.expr | None:
    found = node.keywords if isinstance(node, ast.Call) else ()
    return next((one.value for one in found if one.arg == name), None)


def _needs_value(node: ast.expr) -> bool:
    """Return whether a field has no default although its value is a call: ``FieldInfo(alias="schema")``."""
    return isinstance(node, ast.Call) and _keyword(node, "default") is None and _keyword(node, "alias") is not None


def _alias(field: ast.AnnAssign) -> str | None:
    """Return the name of a property in JSON if an alias is given for it, or ``None`` if it is the name in Python."""
    marks = [one for one in ast.walk(field.annotation) if isinstance(one, ast.Call)]
    for call in (field.value, *marks):
        value = _keyword(call, "alias")
        if isinstance(value, ast.Constant):
            return str(value.value)
    return None
