"""Test the release: the wheel, built from the source distribution, has the files of the tree and works by itself."""

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


def _build(artifact: str, tree: Path, folder: Path) -> Path:
    """Call the build backend in the tree, as a build frontend does, and return the path of the built file."""
    code = f"import sys, hatchling.build; print(hatchling.build.build_{artifact}(sys.argv[1]))"
    result = subprocess.run([sys.executable, "-c", code, folder], cwd=tree, capture_output=True, text=True, check=True)
    return folder / result.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(_build("sdist", ROOT, folder)) as archive:
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.11.4
        archive.extractall(folder, **safely)
    return folder / f"isogloss-{VERSION}"


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build("wheel", sdist, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of a new environment with the wheel. It imports our dependencies, but not the checkout."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, symlinks=True)
    [packages] = environment.glob("lib/python3*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    package_folders = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    # The .pth files in these folders are not read.
    (packages / "dependencies.pth").write_text("\n".join(package_folders), "utf-8")
    return environment / "bin" / "python"


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
    assert packed.pop("isogloss/__init__.py").startswith(b'"""')
    assert packed == _tree()


def test_the_data_of_clients_takes_less_than_400_kb_of_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        sizes = {info.filename: info.compress_size for info in archive.infolist()}
    assert sum(size for name, size in sizes.items() if "client" in name or "/impact/" in name) < 400_000


def test_the_wheel_has_one_top_level_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0] for name in names} == {"isogloss", f"isogloss-{VERSION}.dist-info"}
    assert {f"isogloss/{root}/py.typed" for root in ROOTS} <= set(names)


def test_the_description_of_the_package_has_no_link_that_needs_the_repository(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"isogloss-{VERSION}.dist-info/METADATA").decode()
    assert "Description-Content-Type: text/markdown" in metadata
    description = metadata.partition("\n\n")[2]
    assert description.startswith("# isogloss\n")
    assert re.findall(r"\]\((?!https://|#)[^)]*\)", description) == []


@pytest.mark.parametrize(
    ("page", "address", "expected"),
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
def test_links_of_the_readme_lead_to_the_site(page: str, address: str, expected: str) -> None:
    description = runpy.run_path(str(ROOT / "scripts" / "pypi_readme.py"))["description"]
    assert description(page, address) == expected


def test_the_wheel_contains_its_license(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read(f"isogloss-{VERSION}.dist-info/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


def test_the_source_distribution_has_its_tests_and_its_readme(sdist: Path) -> None:
    for name in ("README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", "tests/conftest.py", "fixtures/conforming"):
        assert (sdist / name).exists()


def test_the_installed_plugin_gives_no_warning_in_the_tests_of_a_user(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "schemas.py").write_text('"""ours"""', "utf-8")
    (tmp_path / "test_ours.py").write_text("import schemas\ndef test(): assert schemas.__doc__ == 'ours'\n", "utf-8")
    command = [str(installed), "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "--trace-config"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert str(installed.parents[1] / "lib") in result.stdout
    assert "isogloss/cli/pytest_plugin.py" in result.stdout


def test_the_installed_command_checks_a_file_with_only_the_files_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = (
        "from importlib.metadata import entry_points; import isogloss.cli, isogloss.schemas;"
        "print(isogloss.cli.__path__[0]);"
        "[script] = entry_points(group='console_scripts', name='isogloss'); script.load()()"
    )
    capture = ROOT / "fixtures" / "conforming" / "completion" / "text.json"
    command = [str(installed), "-I", "-c", code]
    result = subprocess.run([*command, "check", capture], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    location, verdict = result.stdout.splitlines()
    assert Path(location).is_relative_to(installed.parents[1])
    assert verdict.startswith("conforms: 1 exchange")
    result = subprocess.run([*command, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == f"isogloss {VERSION}"
