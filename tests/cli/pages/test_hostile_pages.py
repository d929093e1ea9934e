"""Pages of hostile captures in a real browser: no script of theirs runs, and no request leaves."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="there is no Chromium to show the pages"),
]

AWAY = "http://hostile.example/hostile"
RUNS = "document.documentElement.setAttribute('hostile','1')"
HOSTILE = (
    f"<script>{RUNS}</script>",
    f"</script><script src={AWAY}></script>",
    f'<img src="{AWAY}" onerror="{RUNS}">',
    f"\"><svg/onload={RUNS}><image href='{AWAY}'>",
    f"'><iframe srcdoc='<script>parent.{RUNS}</script>' src='{AWAY}'></iframe>",
    f"</title></style><style>@import url({AWAY});body{{background:url({AWAY})}}</style>",
    f"<meta http-equiv=refresh content='0;url={AWAY}'><base href='{AWAY}'><link rel=stylesheet href='{AWAY}'>",
    f"javascript:{RUNS}",
    f"<a href='javascript:{RUNS}' autofocus onfocus={RUNS}>",
    "{{ 7 * 7 }}{% include '/etc/passwd' %}",
    f"--><!--><form action='{AWAY}'><input autofocus onfocus={RUNS}>",
    f"<details open ontoggle={RUNS}><video src='{AWAY}' onerror={RUNS}>",
    f"\u202e<\u200bscript>{RUNS}</script>",
)


@contextmanager
def asked() -> Iterator[tuple[int, list[str]]]:
    """Run a proxy for all requests of a browser. Yield its port, and the list of what was requested."""
    lines: list[str] = []

    class Proxy(BaseHTTPRequestHandler):
        def answer(self) -> None:
            lines.append(self.path)
            self.send_error(404)

        do_GET = do_POST = do_CONNECT = answer

        def log_message(self, *_: object) -> None:
            """Write no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1], lines
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def shown(page: Path, profile: Path) -> tuple[str, list[str]]:
    """Show a page in a browser. Return the document that the browser makes, and its requests to hostile hosts."""
    with asked() as (port, lines):
        done = subprocess.run(
            [
                *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
                *("--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}"),
                *(f"--proxy-server=127.0.0.1:{port}", "--proxy-bypass-list=<-loopback>"),
                *("--virtual-time-budget=2000", "--dump-dom", page.as_uri()),
            ],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=True,
        )
    return done.stdout, [line for line in lines if "hostile" in line]


def completion(text: str) -> dict[str, object]:
    """Return a completion with the text as its model, and as names of properties, values and content."""
    return {
        "id": text,
        "object": "chat.completion",
        "created": text,
        "model": text,
        "system_fingerprint": text,
        text: text,
        "choices": [
            {
                "index": 0,
                "message": {"role": text, "content": text, text: text},
                "logprobs": None,
                "finish_reason": text,
            }
        ],
    }


def captured(folder: Path) -> None:
    """Write captures with the hostile texts as models, property names, messages, values and names of files."""
    for number, text in enumerate(HOSTILE):
        name = text.replace("/", "\N{FRACTION SLASH}")[:60]
        (folder / f"{number} {name}.json").write_text(json.dumps(completion(text)), "utf-8")
    record = {"host": HOSTILE[2], "path": "/v1/chat/completions", "status": 200, "response": {"error": HOSTILE[0]}}
    (folder / "record.json").write_text(json.dumps(record), "utf-8")


@pytest.mark.parametrize("command", ["check", "report", "probe"])
def test_a_page_of_hostile_captures_runs_no_script_and_asks_for_nothing(
    isogloss: Callable[..., Any], server: Callable[[object], str], tmp_path: Path, command: str
) -> None:
    captures, page = tmp_path / "captures", tmp_path / "page.html"
    captures.mkdir()
    captured(captures)
    if command == "probe":
        whole = completion(HOSTILE[0]) | {text: completion(text) for text in HOSTILE}
        cases = ("--case", "plain,stream", "--model", HOSTILE[2])
        page.write_text(isogloss(command, server(whole), *cases, "--format", "html").stdout, "utf-8")
    else:
        output = ("--output", f"html:{page}") if command == "check" else ("--format", "html", "--output", page)
        isogloss(command, captures, *output)
    document, requests = shown(page, tmp_path / "profile")
    assert 'id="findings"' in document
    assert "hostile.example" in document  # the texts are there, as texts
    assert requests == []
    assert document.count("<script") == 1  # that of the page, which shows the filters
    assert 'aria-label="Filter the findings">' in document
    document = document.partition("<script")[0] + document.rpartition("</script>")[2]
    assert ' hostile="1"' not in document.partition("<head")[0]
    for element in ("<script", "<img", "<svg", "<iframe", "<form", "<video", "<details open", "<base", "<link"):
        assert element not in document.lower()
    assert command == "report" or "{{ 7 * 7 }}" in document


def test_the_browser_would_run_such_a_script_and_ask_for_such_a_picture(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><html><head></head><body>{HOSTILE[0]}<img src='{AWAY}'></body></html>", "utf-8")
    document, requests = shown(page, tmp_path / "profile")
    assert 'hostile="1"' in document.partition("<head")[0]
    assert requests == [AWAY]
