"""What is released: the wheel, built from the source distribution, is the tree and works by itself."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[1]
ROOTS = ("schemas", "validator", "cli")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def _build(what: str, tree: Path, into: Path) -> Path:
    """Call the build backend in the tree, as a frontend does in its isolated environment. Return the built file."""
    code = f"import sys, hatchling.build; print(hatchling.build.build_{what}(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", code, into], cwd=tree, capture_output=True, text=True, check=True)
    return into / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("sdist")
    with tarfile.open(_build("sdist", ROOT, into)) as archive:
        archive.extractall(into, filter="data")
    return into / f"isogloss-{VERSION}"


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build("wheel", sdist, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of a new environment that holds the wheel. It sees our dependencies, not the checkout."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, symlinks=True)
    [packages] = home.glob("lib/python3*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    here = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (packages / "dependencies.pth").write_text("\n".join(here), "utf-8")  # whose own .pth files are not read
    return home / "bin" / "python"


def _tree() -> dict[str, bytes]:
    """Return every source and data file of the three roots, by the name that it must have in the wheel."""
    return {
        path.relative_to(ROOT / root).as_posix(): path.read_bytes()
        for root in ROOTS
        for path in (ROOT / root).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_equals_the_tree(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == _tree()


def test_what_clients_were_seen_to_do_is_less_than_400_kb_of_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        sizes = {info.filename: info.compress_size for info in archive.infolist()}
    assert sum(size for name, size in sizes.items() if "client" in name or "/impact/" in name) < 400_000


def test_the_wheel_has_one_top_level_name_and_leaves_it_open_to_others(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0] for name in names} == {"isogloss", f"isogloss-{VERSION}.dist-info"}
    assert "isogloss/__init__.py" not in names
    assert {f"isogloss/{root}/py.typed" for root in ROOTS} <= set(names)


def test_the_description_of_the_package_has_no_link_that_needs_the_repository(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"isogloss-{VERSION}.dist-info/METADATA").decode()
    assert "Description-Content-Type: text/markdown" in metadata
    description = metadata.partition("\n\n")[2]
    assert description.startswith("# isogloss\n")
    assert re.findall(r"\]\((?!https://|#)[^)]*\)", description) == []


@pytest.mark.parametrize(
    ("page", "address", "made"),
    [
        ("[a](docs/a.md) [b](RULES.md#x)", "https://e.org/", "[a](https://e.org/docs/a/) [b](https://e.org/RULES/#x)"),
        (
            "[l](LICENSE) [h](https://x.y/z.md) [s](#s)",
            "https://e.org/",
            "[l](https://e.org/LICENSE) [h](https://x.y/z.md) [s](#s)",
        ),
        ("[![p](d/p.png)](d/p.png)", "https://e.org/", "[![p](https://e.org/d/p.png)](https://e.org/d/p.png)"),
        ("see [a](docs/a.md), [![p](d/p.png)](d/p.png) [h](https://x.y/)", "", "see a, p [h](https://x.y/)"),
        ("```\n[a](b.md)\n```", "", "```\n[a](b.md)\n```"),
    ],
)
def test_links_of_the_readme_lead_to_the_site(page: str, address: str, made: str) -> None:
    description = runpy.run_path(str(ROOT / "scripts" / "pypi_readme.py"))["description"]
    assert description(page, address) == made


def test_the_wheel_carries_its_license(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read(f"isogloss-{VERSION}.dist-info/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


def test_the_source_distribution_can_run_its_own_tests_and_its_own_readme(sdist: Path) -> None:
    for name in ("README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", "tests/conftest.py", "fixtures/conforming"):
        assert (sdist / name).exists()


def test_the_installed_command_checks_a_file_with_what_the_wheel_brings(installed: Path, tmp_path: Path) -> None:
    code = (
        "from importlib.metadata import entry_points; import isogloss.cli, isogloss.schemas;"
        "print(isogloss.cli.__path__[0]);"
        "[script] = entry_points(group='console_scripts', name='isogloss'); script.load()()"
    )
    capture = ROOT / "fixtures" / "conforming" / "completion" / "text.json"
    run = [str(installed), "-I", "-c", code]
    done = subprocess.run([*run, "check", capture], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    where, verdict = done.stdout.splitlines()
    assert Path(where).is_relative_to(installed.parents[1])
    assert verdict.startswith("conforms: 1 exchange")
    done = subprocess.run([*run, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == f"isogloss {VERSION}"
