"""Test the recipes of CONTRIBUTING.md: if one is followed in a new clone, the addition works and its tests pass."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMMANDS = {
    "python": f'exec {sys.executable} "$@"',
    "pytest": f'exec {sys.executable} -m pytest -q -p no:cacheprovider -p no:xdist --fast "$@"',
    "isogloss": f'exec {sys.executable} -c "from isogloss.cli.main import main; main()" "$@"',
}
"""The scripts that the commands of the recipes run, because the clone is not installed.

``pytest`` runs only fast tests, which is enough for an addition.
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs a checkout to clone"),
]


class Recipe:
    """A section of CONTRIBUTING.md that is followed in a clone. ``names`` replace the placeholders in it."""

    def __init__(self, clone: Path, section: str, **names: str) -> None:
        text = (clone / "CONTRIBUTING.md").read_text("utf-8")
        self.text = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
        assert self.text, f"CONTRIBUTING.md has no section {section!r}"
        self.clone = clone
        self.names = names

    def _fill(self, text: str) -> str:
        return re.sub(r"<(\w+)>", lambda match: self.names[match[1]], text)

    def path(self, template: str) -> Path:
        """Return the path of a file or folder that the recipe names, in the clone."""
        assert f"`{template}`" in self.text, f"the recipe does not name {template}"
        return self.clone / self._fill(template)

    def write(self, template: str, text: str, file: str = "") -> None:
        """Write a file at a path that the recipe names, or the file ``file`` in a folder that it names."""
        path = self.path(template) / file if file else self.path(template)
        assert path.parent.is_dir() or file, f"{path.parent} is no folder of the project"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def run(self, beginning: str) -> str:
        """Run the command of the recipe with this beginning, and return what it prints. The command must succeed."""
        commands = [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", self.text)]
        matching = [code for code in commands if f"{code} ".startswith(beginning + " ")]
        assert matching, f"the recipe names no command that begins with {beginning!r}"
        return self.shell(self._fill(matching[0]))

    def shell(self, command: str) -> str:
        """Run a command in the clone, and return what it prints. The command must succeed."""
        tools_folder = self.clone.parent / "tools"
        roots = os.pathsep.join(str(self.clone / root) for root in ("validator", "cli", "schemas"))
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_", "NO_COLOR"))
        }
        environment |= {
            "PYTHONPATH": roots,
            "PATH": f"{tools_folder}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": "120",
        }
        result = subprocess.run(
            ["bash", "-c", command],
            cwd=self.clone,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"{command}\n{result.stdout[-3000:]}"
        return result.stdout


@pytest.fixture
def begin_recipe(tmp_path: Path) -> Callable[..., Recipe]:
    """Return a function that begins a recipe in a clone of the last commit. All recipes of a test use one clone."""
    clone, tools = tmp_path / "isogloss", tmp_path / "tools"
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    tools.mkdir()
    for name, script in COMMANDS.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        (tools / name).chmod(0o755)

    def begin(section: str, **names: str) -> Recipe:
        new_recipe = Recipe(clone, section, **names)
        location = new_recipe.shell(
            'python -c "import isogloss.validator, isogloss.cli; print(isogloss.validator.__file__)"'
        )
        assert Path(location.strip()).is_relative_to(clone), "the clone must run its own code"
        return new_recipe

    return begin


RULE = '''"""The model is called `forbidden-model`.

## Why it matters
It matters to the test of this recipe.

## What to do
* As a server's author: Serve another model than `forbidden-model`.
* As a client's user: Ask for another model than `forbidden-model`.

## Bad
A capture that names the model.

## Good
Any other capture.
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
{imports}

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("the test of CONTRIBUTING.md", "2026-11"),),
)


def check({parameter}) -> Iterator[Hit]:
    """Yield a hit if the model is named."""
{body}
'''
RULES = {
    # for each group: the import of the module, the parameter of `check`, and the body of `check`
    "wire": (
        "from isogloss.validator.exchange import Exchange",
        "exchange: Exchange",
        '    if exchange.host == "forbidden-model.example.com":\n        yield Hit("this model is forbidden")',
    ),
    "request": (
        "from isogloss.validator.views import Request",
        "request: Request",
        '    if request.value.get("model") == "forbidden-model":\n'
        '        yield Hit("this model is forbidden", ("model",), "forbidden-model")',
    ),
    "completion": (
        "from isogloss.validator.views import Completion",
        "completion: Completion",
        '    if completion.value.get("model") == "forbidden-model":\n'
        '        yield Hit("this model is forbidden", ("model",), "forbidden-model")',
    ),
    "stream": (
        "from isogloss.validator.streams.trace import Trace",
        "trace: Trace",
        "    for event, chunk in trace.chunks[:1]:\n"
        '        if chunk.get("model") == "forbidden-model":\n'
        '            yield Hit("this model is forbidden", ("model",), "forbidden-model", event)',
    ),
    "pair": (
        "from isogloss.validator.rules.pairing import Pair",
        "pair: Pair",
        '    if pair.request.value.get("model") == "forbidden-model":\n'
        '        yield Hit("this model is forbidden", ("model",), "forbidden-model")',
    ),
    "twins": (
        "from isogloss.validator.rules.twinning import Twins",
        "twins: Twins",
        '    if twins.request is not None and twins.request.value.get("model") == "forbidden-model":\n'
        '        yield Hit("this model is forbidden", ("model",), "forbidden-model")',
    ),
}
REQUEST = {"model": "forbidden-model", "messages": [{"role": "user", "content": "Hi"}]}


def _capture(group: str) -> str:
    """Return a conforming capture that the rules of this group check. It names the forbidden model."""
    conforming = ROOT / "fixtures/conforming"
    completion = json.loads((conforming / "completion/text.json").read_bytes()) | {"model": "forbidden-model"}
    if group == "stream":
        chunk = {name: completion[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
        deltas = [({"role": "assistant", "content": ""}, None), ({"content": "Hi"}, None), ({}, "stop")]
        chunks = [
            chunk | {"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}
            for delta, finish in deltas
        ]
        return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    exchange = {
        "host": "forbidden-model.example.com",
        "path": "/v1/chat/completions",
        "request": REQUEST,
        "status": 200,
        "content_type": "application/json",
        "response": completion,
    }
    if group == "twins":
        return 2 * (json.dumps(exchange | {"host": "fake.example"}) + "\n")
    value = {"request": REQUEST, "completion": completion}.get(group, exchange)
    return json.dumps(value, indent=1) + "\n"


def test_the_recipe_for_a_rule_works_in_every_group(begin_recipe: Callable[..., Recipe]) -> None:
    for group, (imports, parameter, body) in RULES.items():
        name = f"{group}-model-forbidden"
        recipe = begin_recipe("Add a rule", group=group, name=name, name_with_underscores=name.replace("-", "_"))
        assert f"`{group}`" in recipe.text, f"the recipe does not say that it is for the group {group}"
        module = "validator/isogloss/validator/rules/<group>/<name_with_underscores>.py"
        rule = RULE.format(imports=imports, parameter=parameter, body=body)
        # Each group forbids another model, so that a fixture breaks only the rule of its group.
        model = f"forbidden-{group}"
        recipe.write(module, rule.replace("forbidden-model", model))
        suffix = {"stream": "sse", "twins": "jsonl"}.get(group, "json")
        invalid = _capture(group).replace("forbidden-model", model)
        recipe.write("fixtures/<group>/<name>/", invalid, f"invalid-name.{suffix}")
        recipe.write("fixtures/<group>/<name>/", invalid.replace(model, "tiny-1"), f"valid-name.{suffix}")
    recipe.run("WRITE_GOLDEN=1 pytest")
    recipe.run("python scripts/generate_pages.py")  # clients have nothing to say of a model
    pages = (recipe.clone / "RULES.md").read_text("utf-8")
    assert [group for group in RULES if f"\n### {group}-model-forbidden\n" not in pages] == []
    recipe.run("pytest")
    found = recipe.shell("isogloss check fixtures/*/*-model-forbidden --format jsonl || true")
    fired = {group for group in RULES if f'"rule":"{group}-model-forbidden"' in found}
    assert fired == RULES.keys() - {"twins"}
    compared = recipe.shell("isogloss compare fixtures/twins/twins-model-forbidden/invalid-name.jsonl || true")
    assert "[twins-model-forbidden]" in compared


def test_the_recipe_for_a_dialect_works(begin_recipe: Callable[..., Recipe]) -> None:
    recipe = begin_recipe("Add a dialect", slug="acme")
    completion = json.loads((ROOT / "fixtures/conforming/completion/text.json").read_bytes())
    completion |= {"x_acme_region": "eu-1"}
    recipe.write("fixtures/dialects/<slug>/", json.dumps(completion, indent=1) + "\n", "completion.json")
    recipe.run("isogloss dialects infer")
    drafted = recipe.path("schemas/isogloss/schemas/dialects/<slug>.json")
    assert "x_acme_region" in drafted.read_text("utf-8")
    edited = json.loads(drafted.read_bytes()) | {"name": "Acme", "summary": "Names the region of its servers."}
    edited["sources"]["captures"]["where"] = (
        "https://acme.example/docs, a completion written for the test of this recipe"
    )
    edited = {name: value for name, value in edited.items() if value}
    drafted.write_text(json.dumps(edited, indent=2, ensure_ascii=False) + "\n", "utf-8")
    assert "acme" in recipe.run("isogloss report")
    recipe.run("python")
    assert "Acme" in (recipe.clone / "DIALECTS.md").read_text("utf-8")
    recipe.run("pytest")


def test_the_recipe_for_recordings_works(begin_recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    recordings = tmp_path / "recordings"
    recordings.mkdir()
    recording = recordings / "answer.json"
    recipe = begin_recipe(
        "Send what you have recorded",
        slug="acme",
        known="groq",
        url="http://127.0.0.1:1/v1",
        recordings=str(recordings),
        recording=str(recording),
    )
    completion = json.loads((ROOT / "fixtures/conforming/completion/text.json").read_bytes())
    recording.write_text(json.dumps(completion | {"x_acme_region": "eu-1"}), "utf-8")
    assert "adds" in recipe.run("python")
    recipe.run("isogloss dialects infer")
    assert "x_acme_region" in (recipe.clone / "draft.json").read_text("utf-8")
    assert "acme" in recipe.run("isogloss report")
    assert "x_acme_region" in recipe.run("isogloss repro")
    assert recipe.path("fixtures/dialects/<slug>/").parent.is_dir()
    page = (recipe.clone / ".github/ISSUE_TEMPLATE/dialect.yml").read_text("utf-8")
    assert "name: Dialect from a capture" in page


INPUT_FORMAT = '''"""A JSON document below a line of tildes."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.structures.values import exchanges
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "below-tildes"


def recognise(capture: Capture) -> int:
    """Return whether the first line is of tildes."""
    return 90 if capture.head.startswith(b"~~~\\n") else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the document."""
    document = Document(Text.derived(capture.text.data[4:], capture.text, [(0, 4)]))
    yield from exchanges(capture, 0, document.root, capture.kind)
'''


def test_the_recipe_for_an_input_format_works(begin_recipe: Callable[..., Recipe]) -> None:
    recipe = begin_recipe("Add an input format", name="below-tildes", name_with_underscores="below_tildes")
    recipe.write("validator/isogloss/validator/captures/formats/<name_with_underscores>.py", INPUT_FORMAT)
    recipe.write(
        "fixtures/captures/<name>/", "~~~\n" + json.dumps(REQUEST | {"model": 1, "stream": False}) + "\n", "capture.txt"
    )
    _insert(
        recipe.path("docs/formats.md"), "| `json` | ", "| `below-tildes` | a JSON document below a line of tildes |\n"
    )
    recipe.run("pytest")
    found = recipe.shell("isogloss check fixtures/captures/below-tildes --format jsonl || true")
    assert '"path":"model"' in found
    assert '"line":2' in found


OUTPUT_FORMAT = '''"""The rules that were broken, one a line."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.checking.summary import Run

__all__ = ["report"]


def report(run: Run, out: TextIO) -> None:
    """Write the name of the rule of each finding."""
    for finding in run.findings:
        out.write(f"{finding.rule}\\n")
'''


def test_the_recipe_for_an_output_format_works(begin_recipe: Callable[..., Recipe]) -> None:
    recipe = begin_recipe("Add an output format", module="names")
    recipe.write("cli/isogloss/cli/reporters/<module>.py", OUTPUT_FORMAT)
    registry = recipe.path("cli/isogloss/cli/reporters/__init__.py")
    before = registry.read_text("utf-8")
    registry.write_text(
        before.replace("FORMATS = {\n", 'FORMATS = {\n    "names": OutputFormat("names"),\n', 1), "utf-8"
    )
    assert registry.read_text("utf-8") != before
    options = recipe.path("docs/check.md")
    options.write_text(options.read_text("utf-8").replace("`--format text\\|", "`--format names\\|text\\|"), "utf-8")
    recipe.run("WRITE_GOLDEN=1 pytest")
    assert "wrong-type" in (recipe.clone / "tests/cli/golden/pair.names").read_text("utf-8")
    recipe.run("python")
    recipe.run("pytest")


def _insert(page: Path, before: str, line: str) -> None:
    text = page.read_text("utf-8")
    assert before in text
    page.write_text(text.replace(before, line + before, 1), "utf-8")
