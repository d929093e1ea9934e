"""Tests of HTTP Archives (HAR) with bodies in separate files, as Playwright writes them with `content: 'attach'`."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from named_pipes import pipe_that_gives
from reading import findings_of_exchange, read_all

from isogloss.cli.reading import files, inputs
from isogloss.validator.captures import limits
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream

REQUEST = b'{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": true}'
EVENTS = b'data: {"id": "c", "object": "chat.completion.chunk", "choices": []}\n\ndata: [DONE]\n\n'
PAGE = b"<html>not ours</html>"


def _file_name(body: bytes, extension: str) -> str:
    return f"{hashlib.sha1(body).hexdigest()}.{extension}"


REQUEST_FILE, EVENTS_FILE, PAGE_FILE = _file_name(REQUEST, "json"), _file_name(EVENTS, "dat"), _file_name(PAGE, "html")


def _har(request_file: str = REQUEST_FILE, response_file: str = EVENTS_FILE) -> bytes:
    """Return a HAR with a web page and, after it, an exchange of Chat Completions."""

    def entry(method: str, url: str, post_data: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
        request = {"method": method, "url": url, "headers": [], **post_data}
        return {"request": request, "response": {"status": 200, "headers": [], "content": content}}

    post_data = {"postData": {"mimeType": "application/json", "text": "", "params": [], "_file": request_file}}
    entries = [
        entry("GET", "https://app.example.com/", {}, {"mimeType": "text/html", "_file": PAGE_FILE}),
        entry(
            "POST",
            "https://api.example.com/v1/chat/completions",
            post_data,
            {"size": len(EVENTS), "mimeType": "text/event-stream", "_file": response_file},
        ),
    ]
    return json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=2).encode()


def _trace(*, is_older: bool) -> dict[str, bytes]:
    """Return the files of a trace of Playwright, with a web page and, after it, an exchange of Chat Completions."""

    def body(name: str, **described: Any) -> dict[str, Any]:
        return described | ({"_sha1": name} if is_older else {"_file": f"resources/{name}"})

    options = {"version": 8, "type": "context-options", "origin": "library", "options": {}}
    action = {"type": "before", "params": {"url": "https://api.example.com/v1/chat/completions", "method": "POST"}}
    page = {"request": {"method": "GET", "url": "https://app.example.com/", "headers": []}}
    page["response"] = {"status": 200, "headers": [], "content": body(PAGE_FILE, mimeType="text/html")}
    asked = {"method": "POST", "url": "https://api.example.com/v1/chat/completions", "headers": []}
    asked["postData"] = body(REQUEST_FILE, mimeType="application/json")
    content = body(EVENTS_FILE, mimeType="text/event-stream")
    chat = {"request": asked, "response": {"status": 200, "headers": [], "content": content}}
    network = [{"type": "resource-snapshot", "snapshot": snapshot} for snapshot in (page, chat)]

    def lines(*values: Any) -> bytes:
        return b"".join(json.dumps(value, separators=(",", ":")).encode() + b"\n" for value in values)

    resources = {f"resources/{name}": data for name, data in BODIES.items()}
    return {"trace.trace": lines(options, action), "trace.network": lines(*network)} | resources


BODIES = {REQUEST_FILE: REQUEST, EVENTS_FILE: EVENTS, PAGE_FILE: PAGE}


def _write_folder(path: Path, har: bytes, bodies: dict[str, bytes] = BODIES) -> Path:
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


def _read_folder(path: Path) -> list[Exchange | Skipped]:
    def parts() -> Iterator[Exchange | Skipped]:
        for file in files.walk([str(path)]):
            if isinstance(file, Skipped):
                yield file
            else:
                yield from inputs.read(file)

    return list(parts())


def _reasons(parts: list[Exchange | Skipped]) -> list[str]:
    return [part.reason for part in parts if isinstance(part, Skipped)]


def _assert_complete(parts: list[Exchange | Skipped]) -> None:
    """Assert that there is one exchange with both bodies, and that only the page is skipped."""
    (exchange,) = (part for part in parts if isinstance(part, Exchange))
    assert isinstance(exchange.request, Payload)
    assert exchange.request.value["messages"][0]["content"] == "Hi"
    assert isinstance(exchange.response, Stream)
    assert len(exchange.response.values) == 2
    assert _reasons(parts) == ["not Chat Completions: GET /"]


def test_bodies_beside_the_har_are_read_once_and_with_it(tmp_path: Path) -> None:
    _assert_complete(_read_folder(_write_folder(tmp_path, _har())))


def test_bodies_in_a_folder_beside_the_har_are_read_with_it(tmp_path: Path) -> None:
    har = _har(f"resources/{REQUEST_FILE}", f"resources/{EVENTS_FILE}")
    bodies = {f"resources/{name}": data for name, data in BODIES.items() if data is not PAGE}
    _assert_complete(_read_folder(_write_folder(tmp_path, har, bodies)))


def test_a_har_that_is_named_itself_is_read_with_its_bodies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_write_folder(tmp_path, _har()))
    _assert_complete(list(inputs.read("har.har")))


@pytest.mark.parametrize("folder", ["", "run-1/"])
def test_bodies_in_the_zip_of_the_har_are_read_once_and_with_it(folder: str) -> None:
    _assert_complete(read_all(_zipped(_har(), folder=folder), "har.zip"))


def test_a_file_that_no_har_names_is_read_by_itself(tmp_path: Path) -> None:
    other_file = _file_name(b"stray", "json")
    parts = _read_folder(
        _write_folder(tmp_path, _har(), BODIES | {other_file: b'{"error": {"message": "x", "type": "t"}}'})
    )
    assert [Path(part.file).name for part in parts if isinstance(part, Exchange)] == [other_file, "har.har"]


def test_a_missing_body_is_named_in_the_reason(tmp_path: Path) -> None:
    expected = ["not Chat Completions: GET /", f"a body in the file `{EVENTS_FILE}`, which is not there"]
    bodies = {REQUEST_FILE: REQUEST}
    assert _reasons(_read_folder(_write_folder(tmp_path, _har(), bodies))) == expected
    assert _reasons(read_all(_zipped(_har(), bodies), "har.zip")) == expected


def test_bodies_of_a_har_from_standard_input_are_not_reachable() -> None:
    assert "cannot be read from here" in _reasons(read_all(_har(), "<stdin>"))[-1]


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
    parts = _read_folder(_write_folder(tmp_path / "in", _har(response_file=name), {REQUEST_FILE: REQUEST}))
    assert "not looked for" in _reasons(parts)[-1]
    archive = _zipped(_har(response_file=name), {REQUEST_FILE: REQUEST, name.replace("\0", ""): EVENTS})
    assert any("not looked for" in reason for reason in _reasons(read_all(archive, "har.zip")))


def test_no_link_leads_out_of_the_folder_and_nothing_but_files_is_opened(tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_bytes(EVENTS)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "link.json").symlink_to("../outside.json")
    (folder / "up").symlink_to("..")
    (folder / "loop").symlink_to("loop")
    (folder / EVENTS_FILE).write_bytes(EVENTS)
    (folder / "good.json").symlink_to(EVENTS_FILE)
    reasons = {}
    with pipe_that_gives(folder / "pipe", EVENTS):
        for name in ("link.json", "up/outside.json", "pipe", "loop", "up", "good.json"):
            _write_folder(folder, _har(response_file=name), {REQUEST_FILE: REQUEST})
            reasons[name] = _reasons(list(inputs.read(str(folder / "har.har"))))[1:]
    assert reasons.pop("good.json") == []
    assert reasons.pop("loop") == ["a body that cannot be read: Too many levels of symbolic links"]
    assert reasons == {name: [f"a body in the file `{name}`, which is not there"] for name in reasons}


def test_the_size_of_each_body_and_of_all_bodies_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.validator.captures.attachments.LARGEST_DOCUMENT", 50)
    assert "larger than" in _reasons(_read_folder(_write_folder(tmp_path, _har())))[-1]
    monkeypatch.undo()
    monkeypatch.setattr(limits, "_MOST_UNPACKED", 100)
    assert "unpacks to more than" in _reasons(_read_folder(tmp_path))[-1]


def test_findings_point_at_the_file_name_and_keys_in_the_file_are_masked(tmp_path: Path) -> None:
    secret = "sk-proj-Zq8LmN4xR7vT2wY6pK1s"
    events = EVENTS.replace(b'"c"', f'"{secret}"'.encode())
    folder = _write_folder(tmp_path, _har(response_file="body.dat"), {REQUEST_FILE: REQUEST, "body.dat": events})
    exchange = next(part for part in inputs.read(str(folder / "har.har")) if isinstance(part, Exchange))
    assert exchange.response is not None
    assert secret.encode() not in exchange.response.text.data
    findings = findings_of_exchange(exchange)
    lines = (folder / "har.har").read_bytes().splitlines()
    in_chunks = [finding for finding in findings if finding.kind == "chunk"]
    assert in_chunks
    for finding in in_chunks:
        assert lines[finding.source.line - 1][finding.source.column - 1 :].startswith(b'body.dat"')


@pytest.mark.parametrize("is_older", [True, False])
@pytest.mark.parametrize("is_packed", [True, False])
def test_a_trace_of_playwright_is_read_with_its_bodies(tmp_path: Path, *, is_packed: bool, is_older: bool) -> None:
    members = _trace(is_older=is_older)
    if is_packed:
        with zipfile.ZipFile(tmp_path / "trace.zip", "w") as archive:
            for name, data in members.items():
                archive.writestr(name, data)
    else:
        for name, data in members.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(data)
    found = _read_folder(tmp_path)
    (exchange,) = [one for one in found if isinstance(one, Exchange)]
    assert exchange.request is not None
    assert exchange.request.text.data == REQUEST
    assert isinstance(exchange.response, Stream)
    assert exchange.response.text.data == EVENTS
    assert (exchange.http.status, exchange.host) == (200, "api.example.com")
    place = exchange.response.text.place(0)
    line = members["trace.network"].decode().split("\n")[place.line - 1]
    assert EVENTS_FILE in line[place.column - 1 : place.column + 60]
    assert sorted(_reasons(found)) == ["not Chat Completions: GET /", "nothing is recorded in it"]
