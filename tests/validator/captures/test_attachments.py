"""HTTP Archives whose bodies are files of their own, as Playwright's `content: 'attach'` writes them."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli import files, inputs
from isogloss.validator import engines
from isogloss.validator.captures import Capture, capture, read
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream
from isogloss.validator.judging.judge import Judge

REQUEST = b'{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": true}'
EVENTS = b'data: {"id": "c", "object": "chat.completion.chunk", "choices": []}\n\ndata: [DONE]\n\n'
PAGE = b"<html>not ours</html>"


def _name(body: bytes, ending: str) -> str:
    return f"{hashlib.sha1(body).hexdigest()}.{ending}"


ASKED, ANSWERED, SHOWN = _name(REQUEST, "json"), _name(EVENTS, "dat"), _name(PAGE, "html")


def _har(asked: str = ASKED, answered: str = ANSWERED) -> bytes:
    """One exchange of ours, and before it the page that it came from."""

    def entry(method: str, url: str, posted: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
        request = {"method": method, "url": url, "headers": [], **posted}
        return {"request": request, "response": {"status": 200, "headers": [], "content": content}}

    posted = {"postData": {"mimeType": "application/json", "text": "", "params": [], "_file": asked}}
    entries = [
        entry("GET", "https://app.example.com/", {}, {"mimeType": "text/html", "_file": SHOWN}),
        entry(
            "POST",
            "https://api.example.com/v1/chat/completions",
            posted,
            {"size": len(EVENTS), "mimeType": "text/event-stream", "_file": answered},
        ),
    ]
    return json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=2).encode()


BODIES = {ASKED: REQUEST, ANSWERED: EVENTS, SHOWN: PAGE}


def _folder(path: Path, har: bytes, bodies: dict[str, bytes] = BODIES) -> Path:
    for name, data in {"har.har": har, **bodies}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


def _zipped(har: bytes, bodies: dict[str, bytes] = BODIES, folder: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**bodies, "har.har": har}.items():
            archive.writestr(folder + name, data)
    return out.getvalue()


def _inside(path: Path) -> list[Exchange | Skipped]:
    def found() -> Iterator[Exchange | Skipped]:
        for one in files.walk([str(path)]):
            if isinstance(one, Skipped):
                yield one
            else:
                yield from inputs.read(one)

    return list(found())


def _reasons(found: list[Exchange | Skipped]) -> list[str]:
    return [one.reason for one in found if isinstance(one, Skipped)]


def _is_whole(found: list[Exchange | Skipped]) -> None:
    """One exchange with both bodies, and nothing else but the page."""
    (exchange,) = (one for one in found if isinstance(one, Exchange))
    assert isinstance(exchange.request, Payload)
    assert exchange.request.value["messages"][0]["content"] == "Hi"
    assert exchange.response is not None
    assert isinstance(exchange.response.body, Stream)
    assert len(exchange.response.body.values) == 2
    assert _reasons(found) == ["not Chat Completions: GET /"]


def test_bodies_beside_the_archive_are_read_with_it_and_only_once(tmp_path: Path) -> None:
    _is_whole(_inside(_folder(tmp_path, _har())))


def test_bodies_in_a_folder_below_are_too(tmp_path: Path) -> None:
    har = _har(f"resources/{ASKED}", f"resources/{ANSWERED}")
    bodies = {f"resources/{name}": data for name, data in BODIES.items() if data is not PAGE}
    _is_whole(_inside(_folder(tmp_path, har, bodies)))


def test_an_archive_that_is_named_itself_finds_its_bodies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_folder(tmp_path, _har()))
    _is_whole(list(inputs.read("har.har")))


@pytest.mark.parametrize("folder", ["", "run-1/"])
def test_bodies_in_the_same_zip_are_read_with_the_archive_and_only_once(folder: str) -> None:
    _is_whole(list(read(Capture(io.BytesIO(_zipped(_har(), folder=folder)), "har.zip"))))


def test_a_body_that_no_archive_names_is_read_by_itself(tmp_path: Path) -> None:
    stray = _name(b"stray", "json")
    found = _inside(_folder(tmp_path, _har(), BODIES | {stray: b'{"error": {"message": "x", "type": "t"}}'}))
    assert [Path(one.file).name for one in found if isinstance(one, Exchange)] == [stray, "har.har"]


def test_a_body_that_is_missing_is_named(tmp_path: Path) -> None:
    expected = ["not Chat Completions: GET /", f"a body in the file `{ANSWERED}`, which is not there"]
    without = {ASKED: REQUEST}
    assert _reasons(_inside(_folder(tmp_path, _har(), without))) == expected
    assert _reasons(list(read(Capture(io.BytesIO(_zipped(_har(), without)), "har.zip")))) == expected


def test_bodies_of_an_archive_without_a_folder_are_out_of_reach() -> None:
    assert "out of reach" in _reasons(list(read(Capture(io.BytesIO(_har()), "<stdin>"))))[-1]


@pytest.mark.parametrize(
    "name",
    [
        "../outside.json",
        "/etc/hostname",
        "a/../../outside.json",
        "..",
        ".hidden.json",
        "a\\..\\b",
        "a\0b",
        "C:x.json",
        "a//b",
    ],
)
def test_no_name_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_bytes(EVENTS)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / ".hidden.json").write_bytes(EVENTS)
    found = _inside(_folder(tmp_path / "in", _har(answered=name), {ASKED: REQUEST}))
    assert "not looked for" in _reasons(found)[-1]
    zipped = _zipped(_har(answered=name), {ASKED: REQUEST, name.replace("\0", ""): EVENTS})
    assert any("not looked for" in reason for reason in _reasons(list(read(Capture(io.BytesIO(zipped), "har.zip")))))


def test_no_link_leads_out_of_the_folder_and_nothing_but_files_is_opened(tmp_path: Path) -> None:
    import os

    (tmp_path / "outside.json").write_bytes(EVENTS)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "link.json").symlink_to("../outside.json")
    (folder / "up").symlink_to("..")
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to("loop")
    (folder / ANSWERED).write_bytes(EVENTS)
    (folder / "good.json").symlink_to(ANSWERED)
    reasons = {}
    for name in ("link.json", "up/outside.json", "pipe", "loop", "up", "good.json"):
        _folder(folder, _har(answered=name), {ASKED: REQUEST})
        reasons[name] = _reasons(list(inputs.read(str(folder / "har.har"))))[1:]
    assert reasons.pop("good.json") == []
    assert reasons == {name: [f"a body in the file `{name}`, which is not there"] for name in reasons}


def test_a_body_has_its_limit_and_all_of_them_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.validator.captures.attachments.LARGEST_DOCUMENT", 50)
    assert "larger than" in _reasons(_inside(_folder(tmp_path, _har())))[-1]
    monkeypatch.undo()
    monkeypatch.setattr(capture, "_MOST_UNPACKED", 100)
    assert "unpacks to more than" in _reasons(_inside(tmp_path))[-1]


def test_findings_point_at_the_name_of_the_file_and_keys_in_it_are_masked(tmp_path: Path) -> None:
    secret = "sk-proj-Zq8LmN4xR7vT2wY6pK1s"
    events = EVENTS.replace(b'"c"', f'"{secret}"'.encode())
    folder = _folder(tmp_path, _har(answered="body.dat"), {ASKED: REQUEST, "body.dat": events})
    exchange = next(one for one in inputs.read(str(folder / "har.har")) if isinstance(one, Exchange))
    assert exchange.response is not None
    assert secret.encode() not in exchange.response.body.text.data
    findings = Judge(engines.load()).judge(exchange).findings
    lines = (folder / "har.har").read_bytes().splitlines()
    placed = [one for one in findings if one.kind == "chunk"]
    assert placed
    for finding in placed:
        assert lines[finding.source.line - 1][finding.source.column - 1 :].startswith(b'body.dat"')
