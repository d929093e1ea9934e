"""Read other text in which an answer is a line of its own: copies of a terminal, and what programs print.

The line may begin with a label (``response: {…}``, ``[server] got {…}``, ``status=200 body={…}``), with a mark of what
was sent or received (``> {…}``, as wscat prints it), or with ``data:``, and may end in a prompt of a shell. An event
may go on over the lines that a terminal needed for it. The answer may also begin at the end of a label and go on over
indented lines, as in the logs of LangChain4j. If there is none, and the text is short, answers are read that go on over
any lines, as in the copy of a page. Code, tests and instructions hold bodies in other places. This is the least sure of
the formats: the file must be called like a log or a text, and text with differences or fenced blocks is not read.
Nobody knows whether the body is as it was sent, so rules about the bytes that were sent are not applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.texts.log_entries import is_other_text
from isogloss.validator.decode import kind_of_json
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.findings import STDIN
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "text"

_ANSWER = rb"[\"']chat\.completion"
_ERROR = rb"[\"']error\b"
_READ = rb"[\"']data: ?\{"
"""How a string begins with what a program read of a stream. No read may hold all of ``chat.completion``."""
_LEFT_OUT = rb"""(?mx) ^data: [^\n]*
    (?: \n (?:[ \t\r]*\n)*+ [ \t]* (?:\.{3,}|\xe2\x80\xa6)
    | (?: \.{3} | \xe2\x80\xa6 | \b truncated ) [\])>]? ) [ \t\r]*$"""
"""Dots behind an event, or at the end of one: the end of the stream does not say that all of it is there."""


def recognise(capture: Capture) -> int:
    """Recognise a capture that has a name like that of a log or a text, and an answer on a line in its head.

    Standard input has no name. It may be the body that a program sends on, so it has to begin with a command. An error
    may come from any service. So it counts only behind a request on a line, or a command that calls this API.
    """
    if not (capture.is_called_like_text or capture.name == STDIN):
        return 0
    if capture.is_binary or not re.search(_ANSWER + rb"|" + _ERROR + rb"|" + _READ, capture.head):
        return 0
    from isogloss.validator.captures.bodies import objects, over_lines
    from isogloss.validator.captures.structures import values
    from isogloss.validator.captures.texts import blocks, terminal, wrapped_events

    if is_other_text(capture.head) or (capture.name == STDIN and not terminal.begins_with_call(capture.head)):
        return 0

    lines = (Text(line, number) for number, line in enumerate(capture.start.split(b"\n"), 1))
    whole_lines = wrapped_events.with_whole_events(lines)
    payloads = over_lines.found_in(whole_lines, objects.payload_on_line, partial(values.holds_exchange, capture))
    has_request = terminal.begins_with_call(capture.head)
    for payload in payloads:
        kind = kind_of_json(payload.data)
        if re.search(_ANSWER, payload.data) or (kind == "error" and has_request):
            return 5
        has_request = has_request or kind == "request"
    is_short = capture.whole_head and re.search(_ANSWER, capture.head) is not None
    return 3 if is_short and blocks.answers_among_words(capture, 0, capture.text) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Return the exchanges, a line at a time. Other lines are not reported, nor are ends of other streams."""
    from isogloss.validator.captures.texts import command_pairs, sketches

    return command_pairs.with_commands(capture, map(sketches.without_sketch, _read(capture)))


def _read(capture: Capture) -> Iterator[Exchange | Skipped]:
    from isogloss.validator.captures.bodies import objects, over_lines
    from isogloss.validator.captures.structures import values
    from isogloss.validator.captures.texts import blocks, json_lines, wrapped_events

    is_shortened = capture.whole_head and re.search(_LEFT_OUT, capture.head) is not None
    on_line = objects.payload_on_line if is_shortened else objects.payload_or_end_on_line
    lines = wrapped_events.with_whole_events(capture.lines())
    groups = over_lines.groups_in(lines, on_line, partial(values.holds_exchange, capture))
    found = json_lines.exchanges_of_printed_lines(capture, groups)
    found = map(blocks.as_shown, found) if is_shortened else found
    first = next(found, None)
    if first is None and capture.whole_head:
        yield from blocks.answers_among_words(capture, 0, capture.text)
    elif first is not None:
        yield first
        yield from found
