"""Tests of the pytest plugin, each in a run of pytest in another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli.pytest_plugin import Isogloss

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
GOOD = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs tests, given as source text, in another process, where every warning is an error."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\naddopts = --strict-markers\n", "utf-8")
    (tmp_path / "good.json").write_text(json.dumps(GOOD), "utf-8")

    def run(tests: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "test_it.py").write_text(
            f"import json, pathlib\nGOOD = json.loads(pathlib.Path('good.json').read_text())\n{tests}", "utf-8"
        )
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return subprocess.run(
            [*command, "-p", "isogloss.cli.pytest_plugin", *arguments],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


def test_the_fixture_passes_conforming_payloads_and_fails_on_others_with_excerpt_and_next_step(
    run: Run,
) -> None:
    result = run(
        "def test_good(isogloss): assert isogloss.check(GOOD).conforms\n"
        "def test_text(isogloss): isogloss.check(json.dumps(GOOD).encode())\n"
        "def test_bad(isogloss): isogloss.check(GOOD | {'model': 5, 'created': None})\n"
        "def test_note(isogloss): isogloss.check(GOOD | {'x': 5}, fail_on='note')\n"
        "def test_none(isogloss): isogloss.check({'a': 1})\n"
        "def test_alone(isogloss): isogloss.check(GOOD | {'model': 5})\n"
    )
    assert "4 failed, 2 passed" in result.stdout, result.stdout + result.stderr
    assert "AssertionError: the payload deviates from the OpenAI reference:" in result.stdout
    assert "error[wrong-type] completion /model: an integer where the reference has a string" in result.stdout
    assert "note[unknown-property] completion /x" in result.stdout
    assert "nothing that isogloss could check: not a Chat Completions payload" in result.stdout
    assert "pytest_plugin.py" not in result.stdout.replace("-p isogloss.cli.pytest_plugin", "")
    alone = result.stdout.partition(" test_alone ")[2]
    lines = [line.removeprefix("E   ").strip() for line in alone.splitlines()]
    number_of_finding = next(number for number, line in enumerate(lines) if line.startswith("error[wrong-type]"))
    assert '"model": 5' in lines[number_of_finding + 1]
    assert lines[number_of_finding + 1].index('"model"') == lines[number_of_finding + 2].index("^")
    assert lines[number_of_finding + 3] == "= known in no dialect"
    assert "next: isogloss explain wrong-type" in lines


HOOK = """
import httpx2 as httpx
import pytest

def client(isogloss, answer, **options):
    transport = httpx.MockTransport(lambda request: httpx.Response(200, json=answer))
    return httpx.Client(transport=transport, event_hooks={"response": [isogloss.hook(**options)]})

def ask(client):
    asked = {"model": GOOD["model"], "messages": [{"role": "user", "content": "Hi"}]}
    return client.post("https://example.test/v1/chat/completions", json=asked)

@pytest.fixture(scope="session")
def bad(isogloss):
    with client(isogloss, GOOD | {"model": 5}) as opened:
        yield opened
"""


def test_a_test_fails_if_its_client_receives_a_deviating_answer(run: Run) -> None:
    result = run(
        f"{HOOK}\n"
        "def test_good(isogloss): assert ask(client(isogloss, GOOD)).json() == GOOD\n"
        "def test_bad(bad): ask(bad)\n"
        "def test_none(bad): pass\n"
        "def test_failing(bad):\n    ask(bad)\n    assert 1 == 2\n"
        "def test_ignored(isogloss): ask(client(isogloss, GOOD | {'model': 5}, ignore=['wrong-type']))\n"
        "def test_note(isogloss): ask(client(isogloss, GOOD | {'x': 5}, fail_on='note'))\n"
    )
    assert "3 failed, 3 passed" in result.stdout, result.stdout + result.stderr
    assert "FAILED test_it.py::test_bad - Failed: a request" in result.stdout
    assert "https://example.test/v1/chat/completions, status 200:" in result.stdout
    assert "assert 1 == 2" in result.stdout
    failures = result.stdout.partition("short test summary")[0]
    assert failures.count("error[wrong-type] completion /model: an integer where the reference has a string") == 2
    assert "note[unknown-property] completion /x" in result.stdout


def test_an_answer_that_ends_when_its_client_is_closed_fails_the_end_of_the_test_or_is_counted(run: Run) -> None:
    result = run(
        f"{HOOK}{LEFT}\n"
        "@pytest.fixture\n"
        "def streaming(isogloss):\n"
        "    transport = httpx.MockTransport(lambda request: httpx.Response(200, stream=httpx.ByteStream(b'{}')))\n"
        "    with httpx.Client(transport=transport, event_hooks={'response': [isogloss.hook()]}) as one:\n"
        "        with one.stream('POST', 'https://example.test/v1/chat/completions', json={}) as answer: yield answer\n"
        "def test_first_byte(streaming):\n    streaming.parts = streaming.iter_raw()\n    next(streaming.parts)\n"
    )
    assert "5 passed, 1 error" in result.stdout, result.stdout
    assert "ERROR at teardown of test_first_byte" in result.stdout
    assert "error[missing-property]" in result.stdout
    assert NOT_CHECKED in result.stdout


LEFT = """
@pytest.mark.parametrize('number', range(4))
def test_left(isogloss, number):
    transport = httpx.MockTransport(lambda request: httpx.Response(200, stream=httpx.ByteStream(b'{')))
    with httpx.Client(transport=transport, event_hooks={'response': [isogloss.hook()]}) as one:
        with one.stream('POST', 'https://example.test/v1/chat/completions', json={}): pass
"""
NOT_CHECKED = "isogloss: 4 answers not checked: the client closed it before it had read anything"


def test_processes_count_answers_that_could_not_be_checked_and_check_the_cassettes_that_any_of_them_opened(
    run: Run, cassettes: Path
) -> None:
    opening = "def test_it(): open('cassettes/played.json').close()\n"
    arguments = ("-p", "xdist.plugin", "-n", "2", "--isogloss-cassettes", "cassettes")
    result = run(f"{HOOK}{LEFT}{opening}", *arguments)
    assert "5 passed" in result.stdout, result.stdout + result.stderr
    assert NOT_CHECKED in result.stdout
    assert result.returncode == 1
    assert "cassettes/played.json:1:" in result.stdout
    assert "idle.json" not in result.stdout


def test_cassettes_are_checked_after_all_tests(run: Run, tmp_path: Path) -> None:
    test = "import pathlib\ndef test_it(): pathlib.Path('cassettes/a.json').write_text(json.dumps(GOOD | %r))\n"
    (tmp_path / "cassettes").mkdir()
    result = run(test % {"model": 5}, "--isogloss-cassettes", "cassettes")
    assert result.returncode == 1
    assert "cassettes/a.json:1:" in result.stdout
    assert "^^^^" in result.stdout
    assert "1 passed" in result.stdout
    (tmp_path / "isogloss.toml").write_text('[paths."cassettes/*"]\nignore = ["wrong-type"]\n', "utf-8")
    assert run(test % {"model": 5}, "--isogloss-cassettes", "cassettes").returncode == 0
    assert run(test % {}, "--isogloss-cassettes", "nowhere").returncode == 4


@pytest.fixture
def cassettes(tmp_path: Path) -> Path:
    """Return a folder with two cassettes that deviate."""
    folder = tmp_path / "cassettes"
    folder.mkdir()
    for name in ("played.json", "idle.json"):
        (folder / name).write_text(json.dumps(GOOD | {"model": 5}))
    return folder


def test_only_cassettes_that_the_tests_opened_are_checked(run: Run, cassettes: Path) -> None:
    options = ("--isogloss-cassettes", "cassettes")
    result = run("def test_it(): open('cassettes/played.json').close()\n", *options)
    assert result.returncode == 1
    assert "cassettes/played.json:1:" in result.stdout
    assert "idle.json" not in result.stdout
    result = run("def test_it(): pass\n", *options)
    assert (result.returncode, "nothing-checked: no test opened a file in cassettes\n" in result.stdout) == (0, True)


@pytest.mark.parametrize(
    ("option", "opened"),
    [
        ("link", "link/played.json"),
        ("link", "cassettes/played.json"),
        ("cassettes", "link/played.json"),
        ("link/played.json", "cassettes/played.json"),
        (".", "link/played.json"),
        ("/", "cassettes/played.json"),
    ],
)
def test_a_cassette_is_checked_whatever_link_or_bytes_name_it(
    run: Run, cassettes: Path, option: str, opened: str
) -> None:
    (cassettes.parent / "link").symlink_to("cassettes")
    result = run(f"def test_it(): open({opened.encode()}).close()\n", "--isogloss-cassettes", option)
    assert result.returncode == 1
    shown = opened if option in (".", "/") else f"{option.removesuffix('/played.json')}/played.json"
    assert f"{shown}:1:" in result.stdout


def test_all_cassettes_are_checked_if_a_worker_crashed_and_nobody_knows_what_it_opened(
    run: Run, cassettes: Path
) -> None:
    test = "import os\ndef test_it():\n    open('cassettes/played.json').close()\n    os._exit(1)\n"
    result = run(test, "-p", "xdist.plugin", "-n", "1", "--isogloss-cassettes", "cassettes")
    assert "(×2 in 2 files" in result.stdout


def test_only_findings_that_fail_the_test_are_listed_and_each_rule_is_advised_once() -> None:
    with pytest.raises(AssertionError) as raised:
        Isogloss().check(GOOD | {"model": 5, "id": 5, "x": 1})
    lines = str(raised.value).splitlines()
    assert [line.split()[2] for line in lines if line.startswith("  error")] == ["/id:", "/model:"]
    assert "unknown-property" not in str(raised.value)
    assert len([line for line in lines if line.startswith("      = as a server's author: ")]) == 1


def test_a_run_that_does_not_use_the_plugin_does_not_import_the_validator(run: Run) -> None:
    result = run("import sys\ndef test_it(): assert [n for n in sys.modules if n.startswith('isogloss.v')] == []\n")
    assert result.returncode == 0, result.stdout


class _Response:
    def __init__(self, status: int, content: bytes, kind: str) -> None:
        self.status_code, self.content, self.headers = status, content, {"content-type": kind}


def test_check_takes_text_objects_models_and_responses() -> None:
    import httpx2
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    from isogloss.validator import check

    chunk = {
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}],
    }  # fmt: skip
    body = json.dumps(GOOD).encode()
    conforming: list[Any] = [
        GOOD, body, body.decode(), bytearray(body), ChatCompletion.model_validate(GOOD),
        httpx2.Response(200, content=body, headers={"content-type": "application/json"}),
        _Response(200, body, "application/json"),
        [chunk], [json.dumps(chunk)], (item for item in [ChatCompletionChunk.model_validate(chunk)]),
    ]  # fmt: skip
    for value in conforming:
        result = check(value)
        assert (result.exchanges, result.failing()) == (1, ()), value
    assert [finding.rule for finding in check(_Response(500, body, "text/html")).findings] != []
    assert check(GOOD | {"service_tier": "on_demand"}, dialect="groq").failing("warning") == ()
    assert check(GOOD | {"model": 5}, ignore=["wrong-type"]).conforms
    request = {"model": GOOD["model"], "messages": [{"role": "user", "content": "x"}], "n": 2}
    assert [finding.rule for finding in check(GOOD, request=request).findings] == ["choice-count-mismatch"]
    assert not check({"a": 1}).conforms
    for options in ({"dialect": "grokk"}, {"select": ["x"]}, {"kind": "answer"}):
        with pytest.raises(ValueError, match="is called"):
            check(GOOD, **options)  # type: ignore[arg-type]
