"""Write a reproduction as shell commands: ``nc`` sends the answer, ``curl`` requests it, and isogloss checks it."""

from __future__ import annotations

import shlex

from isogloss.cli.repro_formats.model import Repro
from isogloss.validator.exchange import PROBE_PROPERTIES, Payload, Response, Stream
from isogloss.validator.quoting import printable
from isogloss.validator.reducing.capture_values import CaptureValues, to_bytes

__all__ = ["text"]

_PORT = 8080
_REQUEST = b'{"model":"m","messages":[{"role":"user","content":"a"}]}'
_STREAM_REQUEST = b'{"model":"m","messages":[{"role":"user","content":"a"}],"stream":true}'
_DONE = b"data: [DONE]\n\n"
_CURL_TO_SERVER = 'curl -sN "$OPENAI_BASE_URL/chat/completions" -H "authorization: Bearer $OPENAI_API_KEY" '
_CURL_BODY = "-H 'content-type: application/json' --data-binary @"
_NOT_SERVABLE = frozenset({*PROBE_PROPERTIES, "broken", "body_fault", "left", "arrivals"})
"""Properties of a record that stand for something that ``nc`` cannot do."""
_REASONS = {200: "OK"}


def text(repro: Repro) -> str:
    """Return the commands. They end with exit code 1 as long as the finding is there."""
    finding = repro.finding
    lines = [
        f"# {finding.rule}, {finding.severity.label} {repro.where}: {printable(finding.message)}",
        "# These commands end with 1 as long as the finding is there.",
        "here=$(mktemp -d)",
    ]
    response = repro.exchange.response
    has_body = not {"request", "response", "response_text", "sse", "chunks"}.isdisjoint(repro.properties)
    if response is None and has_body:
        lines += [
            f'{_printf(_property(repro, "request"))} > "$here/request.json"',
            "# With OPENAI_BASE_URL (and OPENAI_API_KEY), the request is sent to a server, too.",
            f'[ -z "$OPENAI_BASE_URL" ] || {_CURL_TO_SERVER}{_CURL_BODY}"$here/request.json"',
            f'isogloss check "$here/request.json" {repro.options}',
        ]
    elif response is None or not has_body or not repro.properties.keys().isdisjoint(_NOT_SERVABLE):
        lines += [f'{_printf(repro.data)} > "$here/capture"', f'isogloss check "$here/capture" {repro.options}']
    else:
        lines += _commands_with_server(repro)
    return "\n".join(lines) + "\n"


def _commands_with_server(repro: Repro) -> list[str]:
    recorded_request = _property(repro, "request") if "request" in repro.properties else None
    body = _answer(repro)
    is_stream = isinstance(repro.exchange.response, Stream) or _is_chunk(repro.exchange.response)
    http = repro.exchange.http
    content_type = http.content_type or ("text/event-stream" if is_stream else "application/json")
    status = http.status or (400 if repro.finding.kind == "error" else 200)
    head = (
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Answer')}\r\ncontent-type: {content_type}\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    request = recorded_request or (_STREAM_REQUEST if is_stream else _REQUEST)
    checked_files = '"$here/asked" "$here/answered"' if recorded_request else '"$here/answered"'
    return [
        f'{_printf(request)} > "$here/request.json"',
        f'{{ {_printf(head.encode())}; {_printf(body)}; }} > "$here/response"',
        f"# Some versions of nc want: nc -l -p {_PORT}",
        f'nc -l 127.0.0.1 {_PORT} < "$here/response" > "$here/asked" &',
        "sleep 1",
        f"curl -sNim 10 http://127.0.0.1:{_PORT}/v1/chat/completions "
        f'{_CURL_BODY}"$here/request.json" > "$here/answered" || kill $!',
        "wait",
        f"cat {checked_files} | isogloss check - {repro.options}",
    ]  # fmt: skip


def _property(repro: Repro, name: str) -> bytes:
    return to_bytes(CaptureValues({name: repro.properties[name]}, bare=True))


def _answer(repro: Repro) -> bytes:
    """Return the body of the response. Make a stream of chunks that were kept without their framing."""
    name = next(one for one in ("response", "response_text", "sse", "chunks") if one in repro.properties)
    if name == "chunks":
        chunks = repro.properties[name]
    elif name == "response" and _is_chunk(repro.exchange.response):
        chunks = [repro.properties[name]]
    else:
        return _property(repro, name)
    return to_bytes(CaptureValues({"sse": [*chunks, _DONE]}, bare=True))


def _is_chunk(response: Response | None) -> bool:
    """Return whether an answer is one chunk, which was kept without its stream."""
    return isinstance(response, Payload) and response.kind == "chunk"


def _printf(data: bytes) -> str:
    """Return the command that prints these bytes."""
    try:
        plain = data.decode()
    except UnicodeDecodeError:
        plain = "\0"
    if plain.replace("\n", "").isprintable():
        return f"printf %s {shlex.quote(plain)}"
    escaped = "".join(
        chr(byte) if 0x20 <= byte < 0x7F and chr(byte) not in "\\%'" else f"\\{byte:03o}" if chr(byte) != "%" else "%%"
        for byte in data
    )
    return f"printf '{escaped}'"
