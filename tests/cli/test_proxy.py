"""Tests of the addon of mitmproxy, which judges each exchange as it ends, logs its findings, and writes a report."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "mitmproxy.http", reason="mitmproxy is not installed: pip install 'isogloss[mitmproxy]', on Python 3.12 or later"
)

KEY = "sk-proj-Zq8LmN4xR7vT2wY6pK1s"
CHUNKS = [({"role": "assistant", "content": ""}, None), ({"content": "Ho"}, None), ({}, "stop")]


def _completion(created: object) -> bytes:
    message = {"role": "assistant", "content": "Ho", "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return json.dumps(
        {"id": KEY, "object": "chat.completion", "created": created, "model": "m", "choices": [choice]}
    ).encode()


def _chunk(delta: dict[str, str], finish_reason: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


class _Handler(BaseHTTPRequestHandler):
    """Answers requests as their last message says."""

    protocol_version = "HTTP/1.1"
    first_chunk_received = threading.Event()
    """Set by the client when it has the first chunk. The server sends the second chunk only after that."""

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        self._send(b'{"object": "list", "data": []}')

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        instruction = request["messages"][-1]["content"]
        if request.get("stream"):
            self._stream(instruction)
        else:
            self._send(_completion("yesterday" if instruction == "bad" else 1))

    def _send(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, instruction: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, part in enumerate([*(_chunk(*chunk) for chunk in CHUNKS), b"data: [DONE]\n\n"]):
            if number == 1:
                assert self.first_chunk_received.wait(20)
            if instruction == "leave" and number == 2:
                assert self.rfile.read(1) == b""  # the proxy closes the connection when its client has left
                return
            if instruction == "break" and number == 2:
                self.close_connection = True
                return
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")


@pytest.fixture
def server() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def test_the_traffic_of_the_openai_client_is_judged_as_it_passes(server: int, tmp_path: Path) -> None:
    openai = pytest.importorskip("openai")
    addon = subprocess.run([sys.executable, "-m", "isogloss.cli.proxy"], capture_output=True, text=True, check=True)
    report = tmp_path / "report.json"
    command = (
        f"from mitmproxy.tools.main import mitmdump; mitmdump(['-s', {addon.stdout.strip()!r}, '-p', '0',"
        f" '--listen-host', '127.0.0.1', '--mode', 'reverse:http://127.0.0.1:{server}', '--set',"
        f" 'isogloss_output=json:{report}', '--set', 'confdir={tmp_path}', '-w', 'flows', '--set',"
        " 'store_streamed_bodies=true'])"
    )
    proxy = subprocess.Popen(
        [sys.executable, "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path
    )
    assert proxy.stdout is not None
    log_lines = []
    try:
        for line in proxy.stdout:
            log_lines.append(line)
            if match := re.search(r"listening at \D*[\d.]+:(\d+)", line):
                break
        else:
            pytest.fail("".join(log_lines))
        client = openai.OpenAI(base_url=f"http://127.0.0.1:{match[1]}/v1", api_key=KEY, max_retries=0)
        for instruction in ("good", "bad"):
            client.chat.completions.create(model="m", messages=[{"role": "user", "content": instruction}])
        client.models.list()
        for instruction in ("good", "break", "leave"):
            _Handler.first_chunk_received.clear()
            stream = client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": instruction}], stream=True
            )
            assert next(stream).choices  # the server has not sent the rest yet
            _Handler.first_chunk_received.set()
            if instruction == "leave":
                assert next(stream).choices  # the last that the server sends
                stream.close()
            elif instruction == "good":
                assert [chunk.choices[0].finish_reason for chunk in stream][-1] == "stop"
            else:
                with pytest.raises(Exception, match=r"closed|Connection|incomplete"):
                    list(stream)
    finally:
        proxy.send_signal(signal.SIGINT)
        log_lines += proxy.communicate(timeout=30)[0].splitlines(keepends=True)
    log = "".join(log_lines)
    assert "isogloss: POST http://127.0.0.1" in log
    assert "error[wrong-type] completion created" in log
    assert "skipped: the client closed the connection before the answer ended; the part that came is checked" in log
    assert "deviates: 5 exchanges (5 requests, 2 completions, 3 streams, 7 chunks), 1 skipped" in log
    assert "Zq8LmN4x" not in report.read_text("utf-8")
    rules = {finding["rule"] for finding in json.loads(report.read_text("utf-8"))["findings"]}
    assert {"wrong-type", "connection-broken"} <= rules
    assert not {"done-missing", "finish-reason-missing"} & rules  # they follow from the break
    if int(version("mitmproxy").partition(".")[0]) < 12:  # it does not know the option, and stores no body of a stream
        return
    command = (
        f"from mitmproxy.tools.main import mitmdump; mitmdump(['-nr', 'flows', '-s', {addon.stdout.strip()!r},"
        f" '--set', 'confdir={tmp_path}'])"
    )
    replayed = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert "deviates: 4 exchanges (4 requests, 2 completions, 2 streams, 3 chunks), 1 skipped" in replayed.stdout
    assert "stream-empty" not in replayed.stdout


def test_mitmproxy_reports_invalid_options(tmp_path: Path) -> None:
    addon = Path(__file__).parents[2] / "cli" / "isogloss" / "cli" / "proxy" / "addon.py"
    for option in ("isogloss_dialect=grokk", "isogloss_output=jsn:x", "isogloss_config=nowhere.toml"):
        command = (
            f"from mitmproxy.tools.main import mitmdump; mitmdump(['-n', '-s', {str(addon)!r}, '--set', {option!r},"
            f" '--set', 'confdir={tmp_path}'])"
        )
        result = subprocess.run(
            [sys.executable, "-c", command], capture_output=True, text=True, cwd=tmp_path, timeout=60
        )
        assert result.returncode == 1
        assert re.search(r"did you mean|cannot read|no dialect", result.stderr + result.stdout)
