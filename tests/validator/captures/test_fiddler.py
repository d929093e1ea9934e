"""Tests of sessions of Fiddler: each request and each response is a file of its own, in a zip file or in a folder."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from payloads import COMPLETION, EVENTS, REQUEST
from reading import all_exchanges, read_all, values_of

from isogloss.cli.main import cli
from isogloss.validator.exchange import Exchange, Skipped

_KEY = "sk-" + "Fake" * 10


def _message(start: str, body: str, *headers: str) -> str:
    lines = (start, "Content-Type: application/json", *headers, f"Content-Length: {len(body.encode())}")
    return "\r\n".join(lines) + "\r\n\r\n" + body


def _sessions(*answers: str) -> dict[str, str]:
    files = {"[Content_Types].xml": "<?xml version='1.0'?>", "_index.htm": "<html></html>"}
    for number, answer in enumerate(answers, 1):
        start = "POST https://api.example.com/v1/chat/completions HTTP/1.1"
        asked = json.dumps(REQUEST | {"user": f"u{number} {_KEY}"})
        files[f"raw/{number}_c.txt"] = _message(start, asked, f"Authorization: Bearer {_KEY}")
        files[f"raw/{number}_m.xml"] = f"<?xml version='1.0'?><Session SID='{number}'/>"
        files[f"raw/{number}_s.txt"] = _message("HTTP/1.1 200 OK", answer)
    return files


def _archive(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_each_response_of_an_archive_has_its_request() -> None:
    found = read_all(_archive(_sessions(json.dumps(COMPLETION), EVENTS)), "calls.saz")
    exchanges = [one for one in found if isinstance(one, Exchange)]
    assert [values_of(one)[0]["user"][:2] for one in exchanges] == ["u1", "u2"]
    assert values_of(exchanges[0])[1] == COMPLETION
    assert [(one.http.status, one.path) for one in exchanges] == [(200, "/v1/chat/completions")] * 2
    assert all(_KEY not in repr(values_of(one)) for one in exchanges)
    reasons = [one.reason for one in found if isinstance(one, Skipped)]
    assert "a request that is read with its response in 1_s.txt" in reasons


@pytest.mark.parametrize("left_out", ["raw/1_c.txt", "raw/1_s.txt"])
def test_a_half_without_the_other_one_is_read_by_itself(left_out: str) -> None:
    files = _sessions(json.dumps(COMPLETION))
    del files[left_out]
    [exchange] = all_exchanges(_archive(files), "calls.saz")
    assert (exchange.request is None, exchange.response is None) == (
        left_out == "raw/1_c.txt",
        left_out != "raw/1_c.txt",
    )


def test_an_archive_that_was_unpacked_is_read_likewise(tmp_path: Path) -> None:
    for name, content in _sessions(json.dumps(COMPLETION | {"created": "x"})).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content.encode())
    report = json.loads(CliRunner().invoke(cli, ["check", "--format", "json", str(tmp_path)]).stdout)
    assert (report["summary"]["exchanges"], report["summary"]["payloads"]["request"]) == (1, 1)
    [finding] = [one for one in report["findings"] if one["rule"] == "wrong-type"]
    assert finding["source"]["file"].endswith("raw/1_s.txt")
