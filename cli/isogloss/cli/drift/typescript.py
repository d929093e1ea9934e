"""Read the types of the npm package from its declarations (``.d.ts``).

The declarations of this package are generated and simple: interfaces, namespaces, unions of names and literals. A
parser for these is smaller than a whole TypeScript compiler, which would need a second language at run time, or
compiled grammars. It is also stricter: if a payload needs a type of any other form, this is an error with file and
line. The parser never guesses.
"""

from __future__ import annotations

from typing import Any

from isogloss.cli.drift.described import Described, UnreadableSource, document_of
from isogloss.cli.drift.packages import PackageFiles
from isogloss.cli.drift.typescript_names import TypeScriptNames
from isogloss.cli.drift.typescript_scopes import Declaration, Scope
from isogloss.cli.drift.typescript_tokens import END, Tokens

__all__ = ["read"]

_COMPLETIONS = ("resources/chat/completions/completions", "resources/chat/completions")
_ROOTS = {
    "completion": (_COMPLETIONS, "ChatCompletion"),
    "chunk": (_COMPLETIONS, "ChatCompletionChunk"),
    "request": (_COMPLETIONS, "ChatCompletionCreateParams"),
    "error": (("resources/shared",), "ErrorObject"),
}
_PLAIN_TYPES = {"string": "string", "number": "number", "boolean": "boolean", "null": "null"}
_ANY_TYPES = ("any", "unknown", "object")


def read(files: PackageFiles) -> Described:
    """Read the types of a package as schemas. Raises :class:`UnreadableSource`."""
    documents = {}
    names = TypeScriptNames(files)
    for kind, (paths, name) in _ROOTS.items():
        reader = _Reader(names)
        path = next((f"{stem}.d.ts" for stem in paths if files.has(f"{stem}.d.ts")), f"{paths[0]}.d.ts")
        schema = reader.reference(names.scope(path), [name])
        documents[kind] = document_of(kind, schema, reader.definitions)
    return Described(name=files.name, documents=documents, integers=False)


class _Reader:
    """The types that one kind of payload needs, as definitions of a JSON Schema."""

    def __init__(self, names: TypeScriptNames) -> None:
        self.names = names
        self.definitions: dict[str, Any] = {}
        self._keys: dict[int, str] = {}

    def reference(self, scope: Scope, names: list[str]) -> dict[str, Any]:
        """Return a reference to the definition of a type, which is read when it is first needed."""
        declarations = self.names.find(scope, names)
        if declarations is None:
            raise UnreadableSource(f"{scope.file}: {'.'.join(names)} is not declared")
        if any(declaration.parameters for declaration in declarations):
            raise UnreadableSource(f"{scope.file}: {'.'.join(names)} has parameters")
        key = self._keys.setdefault(id(declarations), f"{len(self._keys)}-{'.'.join(names)}")
        if key not in self.definitions:
            self.definitions[key] = {}
            self.definitions[key] = self._definition(declarations)
        return {"$ref": f"#/$defs/{key}"}

    def _definition(self, declarations: list[Declaration]) -> dict[str, Any]:
        if declarations[0].is_alias:
            return self._whole_type(declarations[0].scope, Tokens(declarations[0].scope.file, declarations[0].body))
        properties: dict[str, Any] = {}
        required: set[str] = set()
        for declaration in declarations:
            inherited = [
                self._parent(declaration.scope, Tokens(declaration.scope.file, parent))
                for parent in declaration.parents
            ]
            own = self._members(declaration.scope, Tokens(declaration.scope.file, declaration.body))
            for part in (*inherited, own):
                properties |= part["properties"]
                required = (required - set(part["properties"])) | set(part["required"])
        return {"type": "object", "properties": properties, "required": sorted(required)}

    def _parent(self, scope: Scope, source: Tokens) -> dict[str, Any]:
        schema = self._whole_type(scope, source)
        seen: set[str] = set()
        while "$ref" in schema and schema["$ref"] not in seen:
            seen.add(schema["$ref"])
            schema = self.definitions[schema["$ref"].removeprefix("#/$defs/")]
        if "properties" not in schema:
            raise source.unreadable("only an interface can be extended")
        return schema

    def _whole_type(self, scope: Scope, source: Tokens) -> dict[str, Any]:
        schema = self._union(scope, source)
        if source.peek() is not END:
            raise source.unreadable("the end of a type was expected")
        return schema

    def _members(self, scope: Scope, source: Tokens) -> dict[str, Any]:
        """Return the schema of an object from the tokens of its properties."""
        properties: dict[str, Any] = {}
        required: list[str] = []
        index_signature: dict[str, Any] = {}
        while source.peek() is not END:
            if source.peek().text == "readonly" and source.peek(1).text not in (":", "?"):
                source.take()
            if source.peek().text == "[":
                source.inside()
                source.expect(":")
                index_signature = {"additionalProperties": self._union(scope, source)}
            else:
                token = source.take()
                name = token.text[1:-1] if token.kind == "string" else token.text
                if not source.accept("?"):
                    required.append(name)
                source.expect(":")
                properties[name] = self._union(scope, source)
            if source.peek() is not END and not source.accept(";") and not source.accept(","):
                raise source.unreadable("the end of a property was expected")
        return {"type": "object", "properties": properties, "required": required, **index_signature}

    def _union(self, scope: Scope, source: Tokens) -> dict[str, Any]:
        source.accept("|")
        branches = [self._intersection(scope, source)]
        while source.accept("|"):
            branches.append(self._intersection(scope, source))
        schemas = [branch for branch in branches if branch is not None]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}

    def _intersection(self, scope: Scope, source: Tokens) -> dict[str, Any] | None:
        """Return the schema of a part of a union, or nothing for ``undefined``, which JSON does not have."""
        if source.accept("undefined"):
            return None
        parts = [self._postfix(scope, source)]
        while source.accept("&"):
            parts.append(self._postfix(scope, source))
        non_empty = [part for part in parts if part != {"type": "object", "properties": {}, "required": []}]
        if len(parts) == 1 or not non_empty:
            return parts[0]
        return non_empty[0] if len(non_empty) == 1 else {"allOf": non_empty}

    def _postfix(self, scope: Scope, source: Tokens) -> dict[str, Any]:
        schema = self._primary(scope, source)
        while source.accept("[", "]"):
            schema = {"type": "array", "items": schema}
        return schema

    def _primary(self, scope: Scope, source: Tokens) -> dict[str, Any]:
        token = source.peek()
        if token.kind == "string" and token.text[0] != "`":
            return {"const": source.take().text[1:-1]}
        if token.text == "{":
            return self._members(scope, Tokens(source.file, source.inside()))
        if source.accept("("):
            schema = self._union(scope, source)
            source.expect(")")
            return schema
        if token.kind != "name":
            raise source.unreadable("a type was expected")
        source.take()
        if token.text == "readonly":
            return self._postfix(scope, source)
        if token.text in _PLAIN_TYPES:
            return {"type": _PLAIN_TYPES[token.text]}
        if token.text in ("true", "false"):
            return {"type": "boolean"}
        if token.text in _ANY_TYPES:
            return {}
        names = [token.text]
        while source.accept("."):
            names.append(source.take().text)
        if source.peek().text == "<":
            return self._generic(scope, names, source)
        return self.reference(scope, names)

    def _generic(self, scope: Scope, names: list[str], source: Tokens) -> dict[str, Any]:
        inner = Tokens(source.file, source.inside())
        if names in (["Array"], ["ReadonlyArray"]):
            return {"type": "array", "items": self._whole_type(scope, inner)}
        if names == ["Record"]:
            self._union(scope, inner)
            inner.expect(",")
            return {"type": "object", "additionalProperties": self._whole_type(scope, inner)}
        raise UnreadableSource(f"{source.file}: the type {'.'.join(names)} with parameters is unknown")
