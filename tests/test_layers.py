"""Test what each root and each folder imports, and that a small run imports no more than it needs."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "schemas": {"isogloss.schemas"},
    "validator": {"isogloss.schemas", "isogloss.validator"},
    "cli": {"isogloss.schemas", "isogloss.validator", "isogloss.cli"},
}
OUTSIDE = {
    "argparse", "asyncio", "click", "getpass", "http", "httpx2", "multiprocessing", "openai", "requests", "rich",
    "socket", "ssl", "subprocess", "threading", "urllib.request", "webbrowser",
}  # fmt: skip
MAY_USE = {
    "validator/isogloss/validator/arrow/judging.py": {"threading"},  # a lock, because engines have threads
}
"""The exceptions: what single modules may use."""
HEAVY = {"hypothesis", "httpx2", "jsonschema", "pyarrow", "referencing", "rich", "yaml"}
LAYERS = {
    "validator": (
        "interrupts", "nesting", "searching", "pointer", "text", "sse", "findings", "exchange", "kinds", "secrets",
        "quoting", "excerpts", "suggesting", "http_faults", "views", "jsontext", "decode", "captures", "engines",
        "streams", "foreign_schemas", "rules", "examining", "impact", "dialects", "judging", "comparing", "reducing",
        "program_values", "api", "arrow", "hooks",
    ),
    "cli": (
        "process", "main", "start", "configuration", "reading", "checking", "elements", "pages", "descriptions",
        "reporters", "report_views", "comparisons", "drift", "repro_formats", "probe", "proxy", "pytest_plugin",
        "commands",
    ),
}  # fmt: skip
"""The modules and folders of two roots. Each imports, of its root, only itself and those before it."""
MODULES = [(root, path) for root in MAY_IMPORT for path in sorted((ROOT / root).rglob("*.py"))]


@cache
def _nodes(path: Path) -> list[ast.AST]:
    """Return all syntax nodes of a module that import something, name an attribute or call a function."""
    kinds = (ast.Import, ast.ImportFrom, ast.Attribute, ast.Call)
    return [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, kinds)]


def _imports(path: Path) -> Iterator[str]:
    """Yield the absolute names of the modules, and of the names in them, that a module imports anywhere in its code."""
    for node in _nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports must be absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _within(name: str, packages: set[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


@pytest.mark.thorough
@pytest.mark.parametrize("root", MAY_IMPORT)
def test_a_root_imports_only_the_roots_below_it(root: str) -> None:
    paths = [path for module_root, path in MODULES if module_root == root]
    imports = [(path, name) for path in paths for name in _imports(path) if _within(name, {"isogloss"})]
    assert imports
    assert [f"{path} imports {name}" for path, name in imports if not _within(name, MAY_IMPORT[root])] == []


def _module_name(root: str, path: Path) -> str:
    """Return the dotted name with which a module is imported."""
    parts = path.relative_to(ROOT / root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _import_graph() -> dict[str, set[str]]:
    """Return which modules of the three roots, and which scripts, each of these imports, also inside functions."""
    modules = {_module_name(root, path): path for root, path in MODULES}
    modules |= {path.stem: path for path in (ROOT / "scripts").glob("*.py")}
    graph = {}
    for module, path in modules.items():
        imported = {name if name in modules else name.rpartition(".")[0] for name in _imports(path)}
        graph[module] = imported & modules.keys() - {module}
    return graph


def _layer(root: str, module: str) -> str:
    """Return the folder or module of a root that a module belongs to."""
    return module.removeprefix(f"isogloss.{root}").removeprefix(".").partition(".")[0]


def test_imports_have_no_cycle() -> None:
    try:
        TopologicalSorter(_import_graph()).prepare()
    except CycleError as error:
        pytest.fail(f"a cycle of imports: {' is imported by '.join(error.args[1])}")


def test_folders_and_modules_beside_each_other_import_in_one_direction() -> None:
    """Check that what stands in one folder has no cycle of imports, when each folder in it counts as one module."""
    graph = _import_graph()
    beside: dict[str, dict[str, set[str]]] = {}
    for module, imported in graph.items():
        parts = module.split(".")
        for other in imported:
            others = other.split(".")
            shared = next((n for n, (one, two) in enumerate(zip(parts, others, strict=False)) if one != two), None)
            if shared is not None:
                siblings = beside.setdefault(".".join(parts[:shared]), {})
                siblings.setdefault(parts[shared], set()).add(others[shared])
    for folder, siblings in beside.items():
        try:
            TopologicalSorter(siblings).prepare()
        except CycleError as error:
            pytest.fail(f"a cycle of imports in {folder}: {' is imported by '.join(error.args[1])}")


@pytest.mark.parametrize("root", LAYERS)
def test_every_module_imports_only_its_own_layer_and_lower_ones(root: str) -> None:
    graph, layers = _import_graph(), LAYERS[root]
    modules = [module for module in graph if module.startswith(f"isogloss.{root}.")]
    assert {_layer(root, module) for module in modules} == set(layers), (
        "LAYERS must name every module and folder, and no other"
    )
    upward = [
        f"{module} imports {other}"
        for module in modules
        for other in sorted(graph[module])
        if _within(other, {f"isogloss.{root}"})
        and (
            _layer(root, other) not in layers or layers.index(_layer(root, other)) > layers.index(_layer(root, module))
        )
    ]
    assert upward == []


def _outside_uses(path: Path) -> Iterator[str]:
    """Yield the names that a module uses for the network, the console, processes, threads and dynamic code."""
    allowed = MAY_USE.get(path.relative_to(ROOT).as_posix(), set())
    forbidden = OUTSIDE - allowed
    yield from (name for name in _imports(path) if _within(name, forbidden))
    for node in _nodes(path):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sys":
            yield from {f"sys.{node.attr}"} & {"sys.argv", "sys.stdin", "sys.stdout", "sys.stderr", "sys.exit"}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from ({node.func.id} & {"print", "input", "open", "exit", "quit", "eval", "exec"}) - allowed


def test_no_module_below_the_command_line_uses_network_console_or_processes() -> None:
    paths = [path for root, path in MODULES if root != "cli"]
    assert [f"{path} uses {name}" for path in paths for name in _outside_uses(path)] == []


def test_the_namespace_package_has_no_init_file_and_each_root_is_typed() -> None:
    for root in MAY_IMPORT:
        assert [path.name for path in (ROOT / root).iterdir()] == ["isogloss"]
        names = {path.name for path in (ROOT / root / "isogloss").iterdir()} - {"__pycache__"}
        assert names == ({root, "__main__.py"} if root == "cli" else {root})
        assert (ROOT / root / "isogloss" / root / "py.typed").is_file()


@cache
def _modules_loaded_by(*argv: str) -> set[str]:
    code = (
        "import json, sys\n"
        "from isogloss.cli.main import cli\n"
        "try: cli(sys.argv[1:])\n"
        "finally: print('\\n' + json.dumps(sorted(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code, *argv], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode in (0, 1), result.stderr
    return set(json.loads(result.stdout.splitlines()[-1]))


@pytest.mark.processes
@pytest.mark.parametrize("capture", ["fixtures/conforming/completion/text.json", "fixtures/schema/wrong-type"])
def test_checking_a_small_file_imports_nothing_heavy(capture: str) -> None:
    loaded = {name.partition(".")[0] for name in _modules_loaded_by("check", capture)}
    assert "jsonschema_rs" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.thorough
def test_checking_reads_no_data_of_clients_if_the_output_shows_none() -> None:
    code = (
        "import sys; opened = []\n"
        "sys.addaudithook(lambda event, of: opened.append(str(of[0])) if event == 'open' else None)\n"
        "from isogloss.cli.main import cli\n"
        "for options in ((), ('--quiet',), ('--format', 'github')):\n"
        "    cli([*sys.argv[1:], *options], standalone_mode=False)\n"
        "print('\\n' + '\\n'.join(sorted({*opened, *sys.modules})))"
    )
    command = [sys.executable, "-c", code, "check", "fixtures/schema/null-value"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "isogloss.validator.judging.judge" in result.stdout
    assert re.findall(r"isogloss\.validator\.impact\..*|.*client_files.*|.*/schemas/clients/.*", result.stdout) == []


@pytest.mark.processes
def test_checking_a_conforming_completion_imports_no_rules_for_other_kinds() -> None:
    loaded = _modules_loaded_by("check", "fixtures/conforming/completion/text.json")
    groups = {match[1] for name in loaded if (match := re.match(r"isogloss\.validator\.rules\.([a-z]+)\.", name))}
    assert groups == {"completion", "wire"}


@pytest.mark.processes
@pytest.mark.parametrize(
    ("capture", "most"),
    [
        ("fixtures/conforming/completion/text.json", 223),
        ("fixtures/conforming/stream/text.sse", 321),
        ("fixtures/captures/vcrpy/cassette.yaml", 404),
    ],
)
def test_checking_a_small_file_imports_few_modules(capture: str, most: int) -> None:
    """Each takes about 0.2 ms of the start. The limits are a twentieth above what was counted on 2026-11-29."""
    assert len([name for name in _modules_loaded_by("check", capture) if name.startswith("isogloss.")]) <= most


@pytest.mark.processes
def test_help_imports_nothing_that_checks() -> None:
    loaded = _modules_loaded_by("--help")
    assert not [name for name in loaded if name.startswith(("isogloss.validator", "isogloss.schemas", "jsonschema"))]


WHOLE_FILES = {
    "cli/isogloss/cli/configuration/settings_schema.py",  # a file of the package
    "cli/isogloss/cli/reading/gitignore.py",  # looks at the size first
}
"""The modules that read a file to its end. Others read what a user names with ``configuration/named_files.py``."""


def test_files_that_a_user_names_are_read_in_one_place_within_a_bound() -> None:
    reading = {
        path.relative_to(ROOT).as_posix()
        for root, path in MODULES
        if root == "cli"
        for node in _nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in ("read_bytes", "read_text") or (node.func.attr == "read" and not node.args)
    }
    assert reading == WHOLE_FILES
