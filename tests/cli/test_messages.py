"""Tests of what messages quote: no character that a terminal acts on, no key, and where in a file the fault is."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from isogloss.cli import main
from isogloss.cli.probe import transport

ROOT = Path(__file__).parents[2]
OWN_DIALECT = str(Path(__file__).parents[2] / "schemas/isogloss/schemas/dialects/groq.json")
EVIL = "e\x1b]0;x\x07\x9b31m\u202e\n::error::"
KEY = "sk-" + "A1b2" * 10
PASSWORD = "of-many-words"
URL = f"https://me:{PASSWORD}@127.0.0.1/x"
Run = Callable[..., tuple[int, str]]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs ``isogloss`` as its program does, and returns the exit code and all output."""

    def run_line(*words: str | Path) -> tuple[int, str]:
        code = main._run(list(map(str, words)))
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run_line


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with captures and faulty files that have a name with escapes, and make it the current folder."""
    captures = {"yaml": "docs/examples/cassette.yaml", "json": "fixtures/conforming/completion/text.json"}
    for suffix, source in captures.items():
        (tmp_path / f"{EVIL}.{suffix}").write_bytes((ROOT / source).read_bytes())
    (tmp_path / f"{EVIL}.bad").write_text("{", "utf-8")
    (tmp_path / f"{EVIL}.toml").write_text('fail-on = "x"', "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "check E.yaml --output json:E.yaml", "check E.yaml --output json:E/x", "check E.yaml --baseline E.none",
        "check E.yaml --baseline E.bad", "check E.yaml --write-baseline E.known", "check E.yaml --config E.toml",
        "check E.yaml --config E.bad", "check E.yaml --dialect-file E.bad", "check E.yaml --columns E=a",
        "check --live http://127.0.0.1:1/E --request E.json", "check E.yaml --select E", "check E.yaml --dialect E",
        "check --live http://127.0.0.1:1/ --request E.json --api-key-env E", "report E.yaml --output html:E.html",
        "compare E.yaml E.yaml --output html:E.html", "repro E.yaml --output E.json", "repro E.yaml --at E",
        "repro E.bad", "repro E.json", "fold E.json", "fold E.bad", "schemas export E", "schemas export E.json",
        "rules E", "config x --config E.toml", "dialects infer E.yaml --slug x", "portability E.json",
        "probe E", "probe http://127.0.0.1:1/E --model x --case plain", "probe http://127.0.0.1:1 --since E.bad",
        "probe http://127.0.0.1:1 --model E --case plain", "schemas drift --openapi E.bad", "E", "check E.none",
    ],
)  # fmt: skip
def test_a_message_quotes_a_name_without_what_a_terminal_or_a_runner_acts_on(folder: Path, run: Run, line: str) -> None:
    code, printed = run(*(word.replace("E", EVIL) for word in shlex.split(line)))
    assert code in (0, 1, 2, 3)
    assert all(character.isprintable() or character == "\n" for character in printed)
    assert not any(one.startswith("::") for one in printed.splitlines())


@pytest.mark.parametrize(
    "line",
    [
        "check a.json --select KEY", "check --live http://127.0.0.1:1/ --request a.json --api-key-env KEY",
        "check --live http://127.0.0.1:1/ --request a.json --header-env A=KEY",
        "check --live http://127.0.0.1:1/ --request a.json --header KEY", "check a.json --dialect KEY", "probe KEY",
        "check KEY", "explain KEY", "check a.json --clients KEY", "check a.json", "config a.json", "probe a",
    ],
)  # fmt: skip
def test_no_message_shows_a_key_that_stands_where_a_name_should(folder: Path, run: Run, line: str) -> None:
    (folder / f"{EVIL}.json").rename(folder / "a.json")
    server = f'[probe.servers.a]\nurl = "http://127.0.0.1:1/v1"\napi-key-env = "{KEY}"\n'
    (folder / "isogloss.toml").write_text(server, "utf-8")
    code, printed = run(*(word.replace("KEY", KEY) for word in shlex.split(line)))
    assert code == 2
    assert KEY not in printed


ARGUMENTS = {
    "check": "a.yaml", "report": "a.yaml", "compare": "a.yaml a.yaml", "fold": "a.yaml", "portability": "a.yaml",
    "repro": "a.yaml", "explain": "wrong-type", "config": "a.yaml", "dialects infer": "a.yaml --slug x",
    "dialects show": "vllm", "dialects diff": "vllm sglang", "schemas show": "completion", "schemas export": "out",
    "schemas drift": "--openapi a.yaml", "clients show": "openai-python", "completion": "bash",
    "probe": "http://127.0.0.1:1 --model m --case plain --timeout 1",
}  # fmt: skip
"""What commands need, besides the option that a key is given for."""


def _commands(group: click.Group, name: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for inner in group.list_commands(context):
        command = group.get_command(context, inner)
        if isinstance(command, click.Group):
            yield from _commands(command, f"{name}{inner} ")
        elif command is not None:
            yield f"{name}{inner}", command


COMMANDS = dict(_commands(main.cli))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "values",
    [
        pytest.param((KEY, f"json:{KEY}", URL), id="few"),
        pytest.param(
            (f"{KEY}=x", f"a={KEY}", f"/none/{KEY}", f"A: {KEY}", f"json:{URL}"), id="many", marks=pytest.mark.slow
        ),
    ],
)
@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_and_no_argument_of_any_command_shows_a_key_that_is_given_for_it(
    folder: Path, run: Run, name: str, values: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "_PAUSE", 0)  # nobody will answer at the port
    (folder / f"{EVIL}.yaml").rename(folder / "a.yaml")
    arguments = ARGUMENTS.get(name, "")
    options = [one for one in COMMANDS[name].params if isinstance(one, click.Option)]
    lines = [f"{name} {arguments} {one.opts[0]} VALUE" for one in options if not one.is_flag]
    lines += [f"{name} VALUE {rest}" for rest in ("", arguments, arguments.partition(" ")[2])]
    lines += [f"{name} {arguments} --KEY", f"{name} {arguments} -KEY"]
    for line in lines:
        for value in values:
            code, printed = run(*(word.replace("VALUE", value).replace("KEY", KEY) for word in shlex.split(line)))
            assert code in (0, 1, 2, 3), line
            assert KEY not in printed, line
            assert PASSWORD not in printed, line


@pytest.mark.thorough
@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_and_no_argument_of_any_command_fails_on_bytes_that_are_no_text(
    folder: Path, run: Run, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "_PAUSE", 0)  # nobody will answer at the port
    (folder / f"{EVIL}.yaml").rename(folder / "a.yaml")
    arguments = [*name.split(), *ARGUMENTS.get(name, "").split()]
    options = [one for one in COMMANDS[name].params if isinstance(one, click.Option) and not one.is_flag]
    lines = [[*arguments, one.opts[0], os.fsdecode(b"a\xff")] for one in options]
    for line in (*lines, [*name.split(), os.fsdecode(b"a\xff"), *arguments[len(name.split()) + 1 :]]):
        code, printed = run(*line)
        assert code in (0, 1, 2, 3), (line, printed)


def test_the_password_of_a_server_is_not_shown_with_its_settings(folder: Path, run: Run) -> None:
    (folder / "isogloss.toml").write_text(f'[probe.servers.a]\nurl = "{URL}"\n', "utf-8")
    code, printed = run("config")
    assert code == 0
    assert "https://me:*" in printed
    assert PASSWORD not in printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("strict = true\nstrict = false\n", "isogloss.toml:2:15: not TOML: Cannot overwrite a value\n"),
        ("strict = tru\n", "isogloss.toml:1:10: not TOML: Invalid value\n"),
        ("a = '", "isogloss.toml:1:6: not TOML: "),
        (b"strict = true\n\xff\xfes\0", "isogloss.toml:2: not UTF-8, as TOML has to be\n"),
        ("[probe.servers.a]\nurl = 'http://h'\napi-key = 'a'\n", ":3:1: probe.servers.a.api-key: unknown key; did you"),
        ("[probe]\nurl = 'http://h'\n", "isogloss.toml:2:1: probe.url: unknown key; known are servers\n"),
        ("[probe.servers.a]\nmodel = 'a'\n", "isogloss.toml:1:2: probe.servers.a: has no key 'url'\n"),
        (
            "[probe.servers.'a b']\nurl = 'http://h'\n",
            ':1:2: probe.servers."a b": the name of a server has only letters',
        ),
        ("[probe.servers.a]\nurl = ''\n", "isogloss.toml:2:1: probe.servers.a.url: must not be empty\n"),
        ("[probe.servers.a]\nurl = 'a'\napi-key-env = 'a b'\n", ":3:1: probe.servers.a.api-key-env: must be the name"),
    ],
)
def test_a_fault_of_the_configuration_has_its_place(folder: Path, run: Run, text: str | bytes, message: str) -> None:
    (folder / "isogloss.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    code, printed = run("config", "a.json")
    assert code == 2
    assert message in printed


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[tool.isoglos]\n", "1:7: [tool.isoglos]"),
        ("[project]\n  [[tool . 'isogolss' . expect]] # mine\n", "2:13: [tool.isogolss]"),
        ("[tool.Isogloss.paths]\n", "1:7: [tool.Isogloss]"),
        ("[tool.iso-gloss]\n[tool.isogloss]\n", "1:7: [tool.iso-gloss]"),
        ("[isogloss]\nignore = []\n", "1:2: [isogloss]"),
    ],
)
def test_a_table_of_pyproject_that_is_misspelt_is_named_with_its_place(
    folder: Path, run: Run, text: str, place: str
) -> None:
    (folder / "pyproject.toml").write_text(text)
    code, printed = run("config", "a.json")
    assert code == 2
    assert f"pyproject.toml:{place} is no table of isogloss; did you mean [tool.isogloss]?" in printed


def test_tables_of_other_tools_are_left_alone(folder: Path, run: Run) -> None:
    others = ("isort", "pylint", "glossary", "isolate", "loguru", "poetry.dependencies.isogloss", "uv.sources")
    text = "".join(f"[tool.{name}]\n" for name in others) + '[project]\nreadme = """\n[isogloss](https://…) checks"""\n'
    (folder / "pyproject.toml").write_text(text, "utf-8")
    assert run("config", "a.json")[0] == 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--output", "json:none/a.json"], "'none/a.json' cannot be written: there is no folder 'none'"),
        (["--output", "json:."], "'.' is a folder; name a file in it"),
        (["--config", "https://h/v1"], "Invalid value for '--config': 'https://h/v1' is a URL: name a file, or"),
        (["--dialect-file", "https://h/v1"], "Invalid value for '--dialect-file': 'https://h/v1' is a URL: name a"),
        (["--write-baseline", "none/a"], "none/a cannot be written: there is no folder 'none'"),
        (["--header", "A: b"], "--header is for the server of --live, which is not given"),
        (["--header-env", "A=B"], "--header-env is for the server of --live, which is not given"),
        (["--api-key-env", "A"], "--api-key-env is for the server of --live, which is not given"),
        (["--timeout", "soon"], "'soon' is not a valid number of seconds."),
        (["--jobs", "two"], "'two' is not a valid whole number."),
        (["--timeout", "30"], "--timeout is for the server of --live, which is not given"),
        (["--stdin-filename", "a"], "--stdin-filename is for standard input: give - as PATH"),
        (["--fail-on-rate", "usage-unasked=200%"], "'usage-unasked=200%' is more than 100%"),
        (["--fail-on-rate", "usage-unasked=2"], "is not a rule and a percentage, like arguments-off-schema=2%"),
        (["--fail-on-rate", "usage-unaskd=2%"], "no rule is called 'usage-unaskd'; did you mean 'usage-unasked'?"),
        (["--fail-on-rate", "expect/mine=2%"], "no rule is called 'expect/mine'; see: isogloss rules"),
        (["--fail-on-rate", "wire=2%"], "'wire' is a group: name each of its rules; see: isogloss rules"),
        (
            ["--fail-on-rate", "twin-calls-differ=2%"],
            "'twin-calls-differ': only isogloss compare checks rules about twins",
        ),
        (["--fail-on-rate", "done-missing=2%", "--select", "json"], "'done-missing' is not checked: it is ignored, or"),
        (["--fail-on-rate", "done-missing=2%", "--ignore", "wire"], "'done-missing' is not checked: it is ignored"),
        (["--select", ""], "no rule is named"),
        (["--select", "expect"], "'expect' selects no rule: the configuration has no table expect"),
        (["--select", "twins"], "'twins': only isogloss compare checks rules about twins"),
        (["--ignore", "twin-calls-differ"], "'twin-calls-differ': only isogloss compare checks rules about twins"),
        (["--select", "done-missing", "--ignore", "wire"], "no rule is left: all that are selected are ignored, too"),
        (["--dialect-file", OWN_DIALECT], f"--dialect-file {OWN_DIALECT} has no effect: add --dialect groq"),
        (["--dialect-file", OWN_DIALECT, "--dialect", "azure"], "has no effect: add --dialect groq"),
    ],
)
def test_a_wrong_value_of_an_option_is_named_with_what_is_wrong(
    folder: Path, run: Run, option: list[str], message: str
) -> None:
    code, printed = run("check", f"{EVIL}.json", *option)
    assert code == 2
    assert message in printed


READERS = ["check", "report", "compare", "portability", "dialects infer --slug x", "fold", "repro"]
"""All commands that read captures."""


@pytest.mark.parametrize("name", READERS)
def test_every_command_says_what_to_do_with_a_url(folder: Path, run: Run, name: str) -> None:
    code, printed = run(*name.split(), "http://localhost:8000/v1")
    assert code == 2
    assert "'http://localhost:8000/v1' is a URL: name a file, or ask a server with isogloss probe" in printed


@pytest.mark.parametrize("name", READERS)
def test_every_command_reads_captures_as_the_format_that_is_named(folder: Path, run: Run, name: str) -> None:
    choice = {"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    exchange = {
        "request": {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True},
        "chunks": [{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}],
    }
    (folder / "a.jsonl").write_text((json.dumps(exchange) + "\n") * 2, "utf-8")
    code, printed = run(*name.split(), "a.jsonl")
    assert code in (0, 1)
    assert run(*name.split(), "a.jsonl", "--input-format", "jsonl") == (code, printed)
    assert run(*name.split(), "a.jsonl", "--input-format", "csv")[0] == 3
    code, printed = run(*name.split(), "a.jsonl", "--input-format", "jsonll")
    assert (code, "no input format is called 'jsonll'; did you mean 'jsonl'?" in printed) == (2, True)


@pytest.mark.parametrize("what", ["file", "folder"])
@pytest.mark.parametrize("name", READERS)
def test_every_command_ends_with_3_if_a_file_or_folder_that_is_named_may_not_be_read(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, name: str, what: str
) -> None:
    forbidden = folder / "forbidden"
    if what == "file":
        forbidden.write_bytes((folder / f"{EVIL}.json").read_bytes())
    else:
        forbidden.mkdir()
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != forbidden)
    takes_one_file = name in ("fold", "repro")
    code, printed = run(*name.split(), *([] if takes_one_file else [f"{EVIL}.json"]), forbidden)
    if takes_one_file and what == "folder":
        assert code == 2
    else:
        assert code == 3
        assert "forbidden cannot be read: you have no permission" in printed


def test_json_for_a_terminal_has_escapes_for_what_is_not_printable(folder: Path, run: Run) -> None:
    _, printed = run("dialects", "infer", f"{EVIL}.yaml", "--slug", "x")
    assert "\x9b" not in printed
    assert EVIL in "".join(behaviour["note"] for behaviour in json.loads(printed)["behaviours"])


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["repro", "CAPTURE", "--force"], "--force is for the file of --output, which is not given"),
        (["repro", "CAPTURE", "--rule", "twins"], "'twins' is a group: name each of its rules"),
        (["repro", "CAPTURE", "--rule", "twin-calls-differ"], "only isogloss compare checks rules about twins"),
        (["repro", "CAPTURE", "--rule", "expect/mine"], "repro keeps findings of the rules of isogloss, and not those"),
        (["repro", "CAPTURE", "--dialect-file", OWN_DIALECT], "has no effect: add --dialect groq"),
        (["report", "CAPTURE", "--view", "coverage", "--dialect-file", OWN_DIALECT], "are for --view dialects"),
        (["schemas", "show", "chunk", "--dialect-file", OWN_DIALECT], "has no effect: add --dialect groq"),
        (
            ["schemas", "show", "chunk", "--open", "--strict"],
            "--open and --strict are two forms of a schema",
        ),
        (["schemas", "export", "new", "--errors", "--strict"], "--errors and --strict are two forms of a schema"),
    ],
)
def test_an_option_without_an_effect_is_refused_before_anything_is_done(
    folder: Path, run: Run, command: list[str], message: str
) -> None:
    code, printed = run(*[f"{EVIL}.json" if word == "CAPTURE" else word for word in command])
    assert (code, message in printed) == (2, True)
    assert not (folder / "new").exists()


def test_a_dialect_file_has_an_effect_if_some_files_use_its_dialect(folder: Path, run: Run) -> None:
    (folder / "isogloss.toml").write_text('paths."*.json".dialect = "groq"\n', "utf-8")
    assert run("check", f"{EVIL}.json", "--dialect-file", OWN_DIALECT)[0] != 2


def test_a_hook_without_files_has_nothing_to_check(folder: Path, run: Run) -> None:
    assert run("check", "--allow-empty", "--quiet") == (0, "")
    code, printed = run("check")
    assert (code, "Missing argument 'PATH...'" in printed) == (2, True)
