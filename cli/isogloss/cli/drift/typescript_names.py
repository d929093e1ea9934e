"""Find the declarations of names in TypeScript: in namespaces, and through imports and exports."""

from __future__ import annotations

import posixpath
from functools import cache

from isogloss.cli.drift.described import UnreadableSource
from isogloss.cli.drift.packages import PackageFiles
from isogloss.cli.drift.typescript_scopes import Declaration, Scope, module

__all__ = ["TypeScriptNames"]


class TypeScriptNames:
    """The names of a package. A module is read when a name in it is first needed."""

    def __init__(self, files: PackageFiles) -> None:
        self._files = files
        self.scope = cache(lambda path: module(files.text(path), f"{files.name}: {path}"))

    def find(self, scope: Scope, names: list[str]) -> list[Declaration] | None:
        """Return the declarations of a name with dots, seen from a scope."""
        current: Scope | None = scope
        while current is not None:
            found = self._find_within(current, names)
            if found is not None:
                return found
            current = current.parent
        return None

    def _find_within(self, scope: Scope, names: list[str]) -> list[Declaration] | None:
        first, *rest = names
        if rest and first in scope.namespaces:
            return self._find_within(scope.namespaces[first], rest)
        if not rest and first in scope.declarations:
            return scope.declarations[first]
        if first in scope.imports:
            module_path, exported_name = scope.imports[first]
            other = self.scope(self._file_of(scope, module_path))
            return self._find_within(other, rest if exported_name == "*" else [exported_name, *rest])
        for module_path in scope.star:
            found = self._find_within(self.scope(self._file_of(scope, module_path)), names)
            if found is not None:
                return found
        return None

    def _file_of(self, scope: Scope, module_path: str) -> str:
        file = scope.file.removeprefix(f"{self._files.name}: ")
        base = posixpath.normpath(posixpath.join(posixpath.dirname(file), module_path)).removesuffix(".js")
        _, _, inside = module_path.partition("/")  # some packages import their own modules by the name of the package
        candidates = (f"{base}.d.ts", f"{base}/index.d.ts", f"{inside}.d.ts", f"{inside}/index.d.ts")
        found = [path for path in candidates if self._files.has(path)]
        if not found:
            raise UnreadableSource(f"{scope.file}: the package has no {module_path}")
        return found[0]
