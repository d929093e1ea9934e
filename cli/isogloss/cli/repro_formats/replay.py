"""A reproduction as shell commands: ``nc`` sends the answer, ``curl`` asks for it, and isogloss checks what came."""

from __future__ import annotations

import shlex

from isogloss.cli.repro_formats.model import Repro
from isogloss.validator.exchange import Response, Stream
from isogloss.validator.quoting import printable
from isogloss.validator.reducing.sketch import ASKED_ON_PURPOSE, Sketch, written

__all__ = ["text"]

_PORT = 8080
_ASKED = b'{"model":"m","messages":[{"role":"user","content":"a"}]}'
_ASKED_STREAM = b'{"model":"m","messages":[{"role":"user","content":"a"}],"stream":true}'
_DONE = b"data: [DONE]\n\n"
_SEND = 'curl -sN "$OPENAI_BASE_URL/chat/completions" -H "authorization: Bearer $OPENAI_API_KEY" '
_JSON = "-H 'content-type: application/json' --data-binary @"
_NO_SERVER = frozenset({*ASKED_ON_PURPOSE, "broken", "arrivals"})
"""Members of a record that tell of what nc cannot be made to do."""
_REASONS = {200: "OK"}


def text(repro: Repro) -> str:
    """Return the commands. They end with exit code 1 as long as the finding is there."""
    finding = repro.finding
    lines = [
        f"# {finding.rule}, {repro.where}: {printable(finding.message)}",
        "# These commands end with 1 as long as the finding is there.",
        "here=$(mktemp -d)",
    ]
    response = repro.exchange.response
    whole = not {"request", "response", "response_text", "sse", "chunks"}.isdisjoint(repro.members)
    if response is None and whole:
        lines += [
            f'{_printf(_member(repro, "request"))} > "$here/request.json"',
            "# With OPENAI_BASE_URL (and OPENAI_API_KEY), the request is sent to a server, too.",
            f'[ -z "$OPENAI_BASE_URL" ] || {_SEND}{_JSON}"$here/request.json"',
            f'isogloss check "$here/request.json" {repro.options}',
        ]
    elif response is None or not whole or not repro.members.keys().isdisjoint(_NO_SERVER):
        lines += [f'{_printf(repro.data)} > "$here/capture"', f'isogloss check "$here/capture" {repro.options}']
    else:
        lines += _served(repro, response)
    return "\n".join(lines) + "\n"


def _served(repro: Repro, response: Response) -> list[str]:
    asked = _member(repro, "request") if "request" in repro.members else None
    body = _answer(repro)
    streamed = isinstance(response.body, Stream)
    content_type = response.content_type or ("text/event-stream" if streamed else "application/json")
    status = response.status or (400 if repro.finding.kind == "error" else 200)
    head = (
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Answer')}\r\ncontent-type: {content_type}\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    request = asked or (_ASKED_STREAM if streamed else _ASKED)
    checked = '"$here/asked" "$here/answered"' if asked else '"$here/answered"'
    return [
        f'{_printf(request)} > "$here/request.json"',
        f'{{ {_printf(head.encode())}; {_printf(body)}; }} > "$here/response"',
        f"# Some versions of nc want: nc -l -p {_PORT}",
        f'nc -l 127.0.0.1 {_PORT} < "$here/response" > "$here/asked" &',
        "sleep 1",
        f"curl -sNim 10 http://127.0.0.1:{_PORT}/v1/chat/completions "
        f'{_JSON}"$here/request.json" > "$here/answered" || kill $!',
        "wait",
        f"cat {checked} | isogloss check - {repro.options}",
    ]  # fmt: skip


def _member(repro: Repro, name: str) -> bytes:
    return written(Sketch({name: repro.members[name]}, bare=True))


def _answer(repro: Repro) -> bytes:
    """Return the body of the response. Make a stream of chunks that were kept without their framing."""
    name = next(one for one in ("response", "response_text", "sse", "chunks") if one in repro.members)
    if name != "chunks":
        return _member(repro, name)
    return written(Sketch({"sse": [*repro.members[name], _DONE]}, bare=True))


def _printf(data: bytes) -> str:
    """Return the command that prints these bytes."""
    try:
        plain = data.decode()
    except UnicodeDecodeError:
        plain = "\0"
    if plain.replace("\n", "").isprintable():
        return f"printf %s {shlex.quote(plain)}"
    escaped = "".join(
        chr(one) if 0x20 <= one < 0x7F and chr(one) not in "\\%'" else f"\\{one:03o}" if chr(one) != "%" else "%%"
        for one in data
    )
    return f"printf '{escaped}'"
