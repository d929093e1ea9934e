"""Tests of the colours that programs write for a terminal, in what is kept of their output."""

from __future__ import annotations

import json
import re

import pytest
from payloads import COMPLETION, EVENTS, REQUEST, with_finish_reason
from reading import all_exchanges, findings_of_exchange, place_of, values_of

_BODY = json.dumps(with_finish_reason("bored"))
_OFF = "\x1b[39;49;00m"


def _coloured(body: str, on: str, off: str) -> str:
    """Return JSON whose names have a colour."""
    return re.sub(r'("\w+"):', lambda name: f"{on}{name[1]}{off}:", body)


_COLOURED = {
    "Docker Compose": ("\x1b[36mapp-1  |\x1b[0m %s\n", _BODY),
    "a label": ("[server] got \x1b[32m%s\x1b[0m\n", _BODY),
    "the mark of a line that grep found": ("\x1b[35m\x1b[Kapp.log\x1b[m\x1b[K: 2026-11-24 05:00:00 %s\n", _BODY),
    "HTTPie": (
        f"\x1b[34mHTTP{_OFF}/\x1b[34m1.1{_OFF} \x1b[34m200{_OFF} \x1b[36mOK{_OFF}\n"
        f"\x1b[36mContent-Type{_OFF}: application/json\n\n%s\n",
        _coloured(json.dumps(json.loads(_BODY), indent=4), "\x1b[94m", _OFF),
    ),
    "jq": ("%s\n", _coloured("\x1b[1;39m" + _BODY, "\x1b[0m\x1b[34;1m", "\x1b[0m")),
}


@pytest.mark.parametrize(("text", "body"), _COLOURED.values(), ids=_COLOURED)
def test_a_body_among_colours_is_read_at_its_place(text: str, body: str) -> None:
    text = text.replace("%s", body)
    [exchange] = all_exchanges(text, "output.log")
    assert values_of(exchange)[1]["id"] == COMPLETION["id"]
    [finding] = findings_of_exchange(exchange)
    line, column = place_of(finding)
    assert text.splitlines()[line - 1][column - 1 :].startswith('"bored"')


def test_colours_are_left_out_of_every_line_of_a_long_log() -> None:
    records = ({"request": REQUEST, "response": COMPLETION | {"id": f"chatcmpl-Fake{n}"}} for n in range(400))
    text = "".join(f"\x1b[36mapp-1  |\x1b[0m {json.dumps(record)}\n" for record in records)
    assert len(text) > 1 << 16
    assert len(all_exchanges(text, "app.log")) == 400


@pytest.mark.parametrize("body", [_BODY.replace("Ho", "\x1b[1mHo"), EVENTS.replace('"Ho', '"\x1b[1mHo')])
def test_a_colour_in_json_is_what_the_server_sent(body: str) -> None:
    [exchange] = all_exchanges(body, "output.log")
    assert "json-control-character" in {finding.rule for finding in findings_of_exchange(exchange)}
