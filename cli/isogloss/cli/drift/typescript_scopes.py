"""Read what a module of TypeScript declares: interfaces and aliases of types, by namespace.

Only these and imports are read. Everything else (classes, functions, constants) is skipped, up to its semicolon or its
closing bracket. The body of a declaration is kept as tokens, and is read when a payload
needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from isogloss.cli.drift.typescript_tokens import END, Token, Tokens, tokens

__all__ = ["Declaration", "Scope", "module"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Declaration:
    """An interface with its parents and the tokens of its body, or an alias with the tokens of its type."""

    scope: Scope
    parameters: bool
    body: Sequence[Token]
    parents: tuple[Sequence[Token], ...] = ()
    is_alias: bool = False


@dataclass(kw_only=True, eq=False)
class Scope:
    """A module or a namespace in it. A name has several declarations if interfaces are merged.

    ``imports`` maps each imported name to its module and to its name in that module, which is ``*`` for the whole
    module. ``star`` are the modules from which everything is exported again.
    """

    file: str
    parent: Scope | None = None
    declarations: dict[str, list[Declaration]] = field(default_factory=dict)
    namespaces: dict[str, Scope] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    star: list[str] = field(default_factory=list)


def module(text: str, file: str) -> Scope:
    """Return what a file declares. Raises :class:`UnreadableSource`."""
    scope = Scope(file=file)
    _read_declarations(Tokens(file, tokens(text, file)), scope)
    return scope


def _read_declarations(source: Tokens, scope: Scope) -> None:
    while source.peek() is not END:
        if source.accept("export", "*", "from"):
            scope.star.append(_string_value(source.take()))
        elif source.accept("import") or source.accept("export", "{") or source.accept("export", "type", "{"):
            _read_imports(source, scope)
        else:
            while source.peek().text in ("export", "declare"):
                source.take()
            _read_declaration(source, scope)


def _read_declaration(source: Tokens, scope: Scope) -> None:
    word, has_name = source.peek().text, source.peek(1).kind == "name"
    if word == "namespace" and has_name:
        source.take()
        namespace = scope.namespaces.setdefault(source.take().text, Scope(file=scope.file, parent=scope))
        _read_declarations(Tokens(scope.file, source.inside()), namespace)
    elif word == "interface" and has_name:
        source.take()
        _read_interface(source, scope)
    elif word == "type" and has_name:
        source.take()
        _read_alias(source, scope)
    else:
        _skip(source)


def _read_interface(source: Tokens, scope: Scope) -> None:
    name = source.take().text
    parameters = bool(source.inside()) if source.peek().text == "<" else False
    parents = []
    if source.accept("extends"):
        while source.peek().text != "{":
            parents.append(source.until(",", "{"))
            source.accept(",")
    body = source.inside()
    declaration = Declaration(scope=scope, parameters=parameters, body=body, parents=tuple(parents))
    scope.declarations.setdefault(name, []).append(declaration)


def _read_alias(source: Tokens, scope: Scope) -> None:
    name = source.take().text
    parameters = bool(source.inside()) if source.peek().text == "<" else False
    source.expect("=")
    body = source.until(";")
    source.take()
    scope.declarations[name] = [Declaration(scope=scope, parameters=parameters, body=body, is_alias=True)]


def _read_imports(source: Tokens, scope: Scope) -> None:
    """Read what follows ``import``, or ``export {``: names, and the module that they come from."""
    pairs: list[tuple[str, str]] = []
    while source.peek() is not END and source.peek().text not in ("from", ";") and source.peek().kind != "string":
        token = source.take()
        if token.text == "*" and source.accept("as"):
            pairs.append(("*", source.take().text))
        elif source.peek().text == "as" and source.peek(1).kind == "name":
            source.take()
            pairs.append((token.text, source.take().text))
        elif token.kind == "name" and (token.text != "type" or source.peek().text in (",", "}", "from")):
            pairs.append((token.text, token.text))
    if source.accept("from"):
        module_path = _string_value(source.take())
        scope.imports |= {local_name: (module_path, exported_name) for exported_name, local_name in pairs}
    elif source.peek().kind == "string":
        source.take()
    source.accept(";")


def _skip(source: Tokens) -> None:
    """Move past a statement that declares no type: up to its semicolon, or to the end of its block in braces."""
    while source.peek() is not END:
        if source.peek().text == "{":
            source.inside()
            break
        if source.take().text == ";":
            break


def _string_value(token: Token) -> str:
    return token.text[1:-1]
