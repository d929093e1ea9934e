"""Find the definitions of names in Python modules: follow the imports in their source, and import nothing."""

from __future__ import annotations

import ast
import warnings
from functools import cache

from isogloss.cli.drift.described import UnreadableSource
from isogloss.cli.drift.packages import PackageFiles

__all__ = ["PythonNames"]


class PythonNames:
    """The names of a package. A module is read when a name in it is first needed."""

    def __init__(self, files: PackageFiles) -> None:
        self.files = files
        self.module = cache(self._module)

    def _module(self, path: str) -> dict[str, ast.AST]:
        """Return the definitions of a module by name: classes, aliases and imports."""
        names: dict[str, ast.AST] = {}
        for node in self.parsed(self.files.text(path), path).body:
            if isinstance(node, ast.ClassDef):
                names[node.name] = node
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
                names[node.target.id] = node.value
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                names[node.targets[0].id] = node.value
            elif isinstance(node, ast.ImportFrom):
                names |= {alias.asname or alias.name: node for alias in node.names}
        return names

    def parsed(self, source: str, path: str, line: int = 0) -> ast.Module:
        """Return the syntax tree of a module, or of a string that is on this line of the module."""
        try:
            with warnings.catch_warnings(action="ignore"):  # warnings about escapes in docstrings
                return ast.parse(source)
        except (SyntaxError, ValueError) as error:
            raise UnreadableSource(
                f"{self.files.name}: {path}:{line or getattr(error, 'lineno', 1)}: {error}"
            ) from error

    def find(self, path: str, name: str) -> tuple[str, ast.AST]:
        """Return the module that defines a name, and the definition in that module."""
        found = self.module(path).get(name)
        seen: set[ast.AST] = set()
        while isinstance(found, ast.ImportFrom) and found not in seen:
            seen.add(found)
            name = next((alias.name for alias in found.names if (alias.asname or alias.name) == name), name)
            path = self._imported(path, found)
            found = self.module(path).get(name)
        if found is None or found in seen:
            raise UnreadableSource(f"{self.files.name}: {path} does not define {name}")
        return path, found

    def _imported(self, path: str, node: ast.ImportFrom) -> str:
        folder = path.split("/")[: -node.level] if node.level else []
        base = "/".join([*folder, *(node.module or "").split(".")]).strip("/")
        for candidate in (f"{base}.py", f"{base}/__init__.py"):
            if self.files.has(candidate):
                return candidate
        raise UnreadableSource(f"{self.files.name}: {path}:{node.lineno}: no module {node.module} in the package")
