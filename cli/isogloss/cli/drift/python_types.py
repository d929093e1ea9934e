"""Read the types of the Python package from its source, without importing it.

The modules of the package are generated: they hold classes of ``BaseModel`` and ``TypedDict``, and aliases of types.
Only their syntax is read, so a wheel of any version can be compared on any Python, and none of its code runs.
"""

from __future__ import annotations

import ast
from typing import Any

from isogloss.cli.drift.described import Described, UnreadableSource, document_of
from isogloss.cli.drift.packages import PackageFiles
from isogloss.cli.drift.python_names import PythonNames

__all__ = ["read"]

_ROOTS = {
    "completion": ("types/chat/chat_completion.py", "ChatCompletion"),
    "chunk": ("types/chat/chat_completion_chunk.py", "ChatCompletionChunk"),
    "request": ("types/chat/completion_create_params.py", "CompletionCreateParams"),
    "error": ("types/shared/error_object.py", "ErrorObject"),
}
_PLAIN_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
_ANY_TYPES = ("Any", "object")
_ARRAY_TYPES = ("List", "list", "Iterable", "Sequence", "SequenceNotStr")
_MAP_TYPES = ("Dict", "dict", "Mapping")
_WRAPPERS = ("Required", "NotRequired", "ClassVar")


def read(files: PackageFiles) -> Described:
    """Read the types of a package as schemas. Raises :class:`UnreadableSource`."""
    documents = {}
    names = PythonNames(files)
    for kind, (path, name) in _ROOTS.items():
        reader = _Reader(names)
        schema = reader.reference(path, name)
        documents[kind] = document_of(kind, schema, reader.definitions)
    return Described(name=files.name, documents=documents)


class _Reader:
    """The types that one kind of payload needs, as definitions of a JSON Schema."""

    def __init__(self, names: PythonNames) -> None:
        self.names = names
        self.package = names.files.name
        self.definitions: dict[str, Any] = {}

    def reference(self, path: str, name: str) -> dict[str, Any]:
        """Return a reference to the definition of a type."""
        return {"$ref": f"#/$defs/{self._define(path, name)}"}

    def _define(self, path: str, name: str) -> str:
        """Return the name of the definition of a type. The definition is read when it is first needed."""
        path, found = self.names.find(path, name)
        key = f"{path.removesuffix('.py').replace('/', '.')}.{getattr(found, 'name', name)}"
        if key not in self.definitions:
            self.definitions[key] = {}
            if isinstance(found, ast.ClassDef):
                self.definitions[key] = self._class_schema(path, found)
            else:
                self.definitions[key] = self.schema(path, found)
        return key

    def _class_schema(self, path: str, node: ast.ClassDef) -> dict[str, Any]:
        """Return the schema of a class, with the properties that it inherits."""
        properties: dict[str, Any] = {}
        required: set[str] = set()
        unsure: set[str] = set()
        bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
        for base in bases:
            if base not in ("BaseModel", "TypedDict"):
                parent = self.definitions[self._define(path, base)]  # empty while it is read, if it is its own parent
                properties |= parent.get("properties", {})
                required.update(parent.get("required", ()))
                unsure.update(parent.get("x-documented-required", ()))
        is_partial = any(each.arg == "total" and getattr(each.value, "value", True) is False for each in node.keywords)
        for field in node.body:
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            name = _alias(field) or field.target.id
            properties[name] = self.schema(path, field.annotation)
            wrapper = _generic_name(field.annotation)
            has_default = field.value is not None and not _needs_value(field.value)
            is_required = wrapper == "Required" or (wrapper != "NotRequired" and not is_partial and not has_default)
            (required.add if is_required else required.discard)(name)
            if has_default and _is_optional(field.annotation):
                unsure.add(name)  # in an answer, ``Optional`` means null or absent
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
        if _is_none(node):
            return {"type": "null"}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return {"anyOf": [self.schema(path, node.left), self.schema(path, node.right)]}
        if isinstance(node, ast.Name):
            if node.id in _PLAIN_TYPES:
                return {"type": _PLAIN_TYPES[node.id]}
            return {} if node.id in _ANY_TYPES else self.reference(path, node.id)
        if isinstance(node, ast.Subscript):
            inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
            return self._subscript_schema(path, node, inner)
        raise UnreadableSource(f"{self.package}: {path}:{getattr(node, 'lineno', 0)}: a type of an unknown form")

    def _subscript_schema(self, path: str, node: ast.Subscript, inner: list[ast.expr]) -> dict[str, Any]:
        name = _generic_name(node)
        if name == "Literal":
            return {"enum": [one.value for one in inner if isinstance(one, ast.Constant)]}
        if name == "Annotated" or name in _WRAPPERS:
            return self.schema(path, inner[0])
        if name == "Optional":
            return {"anyOf": [self.schema(path, inner[0]), {"type": "null"}]}
        if name == "Union":
            return {"anyOf": [self.schema(path, one) for one in inner]}
        if name in _ARRAY_TYPES:
            return {"type": "array", "items": self.schema(path, inner[0])}
        if name in _MAP_TYPES:
            return {"type": "object", "additionalProperties": self.schema(path, inner[1])}
        raise UnreadableSource(f"{self.package}: {path}:{node.lineno}: the type {name} is unknown")


def _generic_name(node: ast.AST) -> str:
    """Return the name of a generic type with parameters, or an empty text for any other type."""
    return node.value.id if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) else ""


def _is_optional(node: ast.AST) -> bool:
    """Return whether a type is an ``Optional``, or a union with ``None``, in either spelling of unions."""
    if isinstance(node, ast.BinOp):
        return any(_is_none(part) or _is_optional(part) for part in (node.left, node.right))
    if _generic_name(node) == "Union" and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        return any(_is_none(part) for part in node.slice.elts)
    return _generic_name(node) == "Optional"


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _argument(node: ast.AST | None, name: str) -> ast.expr | None:
    arguments = node.keywords if isinstance(node, ast.Call) else ()
    return next((each.value for each in arguments if each.arg == name), None)


def _needs_value(node: ast.expr) -> bool:
    """Return whether a field has no default although its value is a call: ``FieldInfo(alias="schema")``."""
    return isinstance(node, ast.Call) and _argument(node, "default") is None and _argument(node, "alias") is not None


def _alias(field: ast.AnnAssign) -> str | None:
    """Return the name of a property in JSON if an alias is given for it, or ``None`` if it is the name in Python."""
    calls = [inner for inner in ast.walk(field.annotation) if isinstance(inner, ast.Call)]
    for call in (field.value, *calls):
        value = _argument(call, "alias")
        if isinstance(value, ast.Constant):
            return str(value.value)
    return None
