"""Test that the pages for readers are correct: their commands, paths, options and generated parts."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from isogloss import validator
from isogloss.cli import reporters
from isogloss.cli.commands.check import command as check
from isogloss.cli.main import cli
from isogloss.cli.process import exits
from isogloss.validator.captures import input_formats
from isogloss.validator.captures.structures import records
from isogloss.validator.secrets import SHAPES

ROOT = Path(__file__).parents[1]
HANDWRITTEN = (
    "check", "ci", "clients", "compare", "configuration", "dialects", "formats", "probe", "proxy", "python",
    "releasing", "repro", "scale", "schemas", "secrets", "speed",
)  # fmt: skip
USER_PAGES = ("README.md", *(f"docs/{name}.md" for name in HANDWRITTEN))
PAGES = (*USER_PAGES, "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md")
TOP_LEVEL_NAMES = {path.name for path in ROOT.iterdir()}


def _text(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


@pytest.mark.thorough
@pytest.mark.parametrize("script", ["generate_pages.py", "pictures.py"])
def test_what_a_script_writes_of_the_documentation_is_current(script: str) -> None:
    command = [sys.executable, ROOT / "scripts" / script, "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, (result.stdout + result.stderr)[-500:]


@pytest.mark.parametrize("page", PAGES)
def test_every_path_a_page_names_exists(page: str) -> None:
    for name in re.findall(r"`([\w.-]+/[^\s`]*)`", _text(page)):
        # Other paths, such as those of URLs, do not belong to the repository.
        if name.partition("/")[0] in TOP_LEVEL_NAMES:
            assert list(ROOT.glob(re.sub(r"<[^>]+>", "*", name).rstrip("/"))), f"{page} names {name}"
    for link in re.findall(r"\]\((?!https?:|#)([^)\s#]+)[^)\s]*\)", _text(page)):
        assert ((ROOT / page).parent / link).exists(), f"{page} links to {link}"


@pytest.fixture(scope="module")
def modules() -> set[str]:
    """Return the paths of all modules of the repository, each below a slash."""
    folders = [folder for folder in ROOT.iterdir() if folder.is_dir() and folder.name != ".venv"]
    return {f"/{path.relative_to(ROOT).as_posix()}" for folder in folders for path in folder.rglob("*.py")}


@pytest.mark.parametrize("page", PAGES)
def test_every_module_a_page_names_by_its_folder_exists(page: str, modules: set[str]) -> None:
    for name in re.findall(r"`((?:\w+/)+\w+\.py)`", _text(page)):
        exists = any(module.endswith(f"/{name}") for module in modules)
        # The only exception is a file that the page says does not exist.
        assert exists or name == "isogloss/__init__.py", f"{page} names {name}"


@pytest.mark.parametrize(
    "section",
    ["Add a rule", "Add a fact to the schemas", "Add a dialect", "Send what you have recorded", "Add an input format",
     "Add an output format", "Add a client", "Add a fixture"],
)  # fmt: skip
def test_a_section_of_contributing_has_four_steps_and_names_paths(section: str) -> None:
    text = _text("CONTRIBUTING.md").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    assert [int(number) for number in re.findall(r"^(\d)\.", text, re.MULTILINE)] == [1, 2, 3, 4]
    assert re.search(r"`[\w.-]+/", text)


def test_the_page_of_check_describes_every_option_and_no_other() -> None:
    table = _text("docs/check.md").partition("\n## Options of `check`\n")[2].partition("\n## ")[0]
    described = {
        option for row in re.findall(r"^\| (`.*?) \| ", table, re.MULTILINE) for option in re.findall(r"--[a-z-]+", row)
    }
    assert described == {option for param in check.params for option in param.opts if option.startswith("--")}


def test_pages_name_every_input_format_output_format_and_command() -> None:
    assert set(re.findall(r"^\| `([\w-]+)` \| ", _text("docs/formats.md"), re.MULTILINE)) >= input_formats().keys()
    [row] = re.findall(r"^\| `--format (.*?)` \|", _text("docs/check.md"), re.MULTILINE)
    assert row.split("\\|") == list(reporters.FORMATS)
    text = "".join(_text(page) for page in USER_PAGES)
    for name in cli.list_commands(None):  # type: ignore[arg-type]
        assert f"`isogloss {name}" in text


def _commands() -> list[str]:
    """Return all commands of isogloss on the pages for users: lines of blocks, and code with a path in sentences."""
    commands = []
    for page in USER_PAGES:
        blocks = re.findall(r"^```\w*\n(.*?)^```$", _text(page), re.MULTILINE | re.DOTALL)
        lines = [line for block in blocks for line in block.splitlines()]
        lines += re.findall(r"`(isogloss [^`]+/[^`]+)`", _text(page))
        commands += [line.strip().removeprefix("$ ").removeprefix("- ") for line in lines]
    return sorted({line for line in commands if line.startswith("isogloss ")})


@pytest.mark.thorough
@pytest.mark.parametrize("line", _commands())
def test_every_command_that_a_page_shows_runs(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, name, *arguments = shlex.split(line)
    assert name in cli.list_commands(None)  # type: ignore[arg-type]
    if (
        not arguments
        or any(
            argument.isupper() or argument in ("--live", "…") or argument.startswith("s3:") for argument in arguments
        )
        or name == "probe"
    ):
        return  # a command without arguments, or one that needs a server, which other tests run
    (tmp_path / "tests").mkdir()
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "fixtures").mkdir()
    for path in (ROOT / "fixtures").iterdir():  # of the dialects, one is enough
        (tmp_path / "fixtures" / path.name).symlink_to(path / "groq" if path.name == "dialects" else path)
    (tmp_path / "tests" / "cassettes").symlink_to(ROOT / "fixtures" / "captures" / "vcrpy")
    (tmp_path / "logs.parquet").symlink_to(ROOT / "fixtures" / "captures" / "parquet" / "rows.parquet")
    (tmp_path / "answer.json").write_text((ROOT / "fixtures/conforming/completion/text.json").read_text("utf-8"))
    monkeypatch.chdir(tmp_path)
    if "--baseline" in arguments:
        CliRunner().invoke(cli, ["check", "tests/cassettes", "--write-baseline", arguments[-1]])
    result = CliRunner().invoke(cli, [name, *arguments], prog_name="isogloss")
    assert result.exit_code in (0, 1), result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_the_page_of_check_lists_every_exit_code() -> None:
    listed = {int(code) for code in re.findall(r"^\| (\d+) \| ", _text("docs/check.md"), re.MULTILINE)}
    assert listed == {getattr(exits, name) for name in exits.__all__}


def test_the_test_command_of_the_readme_is_run_before_merging() -> None:
    commands = re.findall(r"^python3 -m venv.*$", _text("README.md"), re.MULTILINE)
    assert len(commands) == 2
    assert commands[1] in _text(".ci/run")


def test_the_readme_fits_three_screens() -> None:
    assert len(_text("README.md").splitlines()) <= 3 * 40


def test_the_python_page_names_everything_that_programs_import() -> None:
    beginning = _text("docs/python.md").partition("```")[0]
    assert [name for name in validator.__all__ if f"`{name}`" not in beginning] == []


@pytest.mark.thorough
def test_the_examples_of_the_python_page_run() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", _text("docs/python.md"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 5
    exec("\n".join(blocks), {})


def test_the_example_of_the_page_about_tables_runs() -> None:
    block = re.findall(r"^```python\n(.*?)^```$", _text("docs/scale.md"), re.MULTILINE | re.DOTALL)[0]
    exec(block, {})


def test_pages_that_install_an_unreleased_version_say_so() -> None:
    headings = re.findall(r"^## \[\d", _text("CHANGELOG.md"), re.MULTILINE)
    assert bool(headings) != ("Nothing has been released yet" in _text("docs/releasing.md"))
    install_command = re.compile(r"uvx isogloss|pipx? install '?isogloss|isogloss@v|rev: v")
    disclaimer = re.compile(r"once (it|isogloss) is released|once there is a release|first release", re.IGNORECASE)
    for page in USER_PAGES:
        text = " ".join(_text(page).split())
        assert headings or not install_command.search(text) or disclaimer.search(text), page


def test_every_change_is_listed_under_a_version() -> None:
    headings = re.findall(r"^## (.*)$", _text("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", heading) for heading in headings[1:])


def test_the_page_about_formats_lists_every_property_of_an_exchange_record() -> None:
    section = _text("docs/formats.md").partition("## Exchange records")[2]
    listed = [
        name for row in re.findall(r"^\| (`.+?) \| ", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    ]
    table = (records.__doc__ or "").partition("property ")[2].partition("\nEvery property")[0]
    described = [
        name for row in re.findall(r"^(``.+?)  ", table, re.MULTILINE) for name in re.findall(r"``(\w+)``", row)
    ]
    assert len(listed) > 10
    assert sorted(listed) == sorted(described)


def test_the_page_about_secrets_lists_every_shape() -> None:
    listed = re.findall(r"^\| `(.+)` \| (.+) \|$", _text("docs/secrets.md"), re.MULTILINE)
    assert listed == [(shape.prefix.strip(), shape.what) for shape in SHAPES]
