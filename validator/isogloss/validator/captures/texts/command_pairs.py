"""Join a command that sends a request with the answer below it, in a page or in a copy of a terminal.

In a page, a request in a block of its own is joined with the answer below it as that of a command is, and a line that
names a URL (``POST https://…``) counts as a command whose body is not known.

It is certain in two cases that they belong together:

* The answer stands directly below the command, as a terminal shows it. Then it is what the command got. Documentation
  has examples there, too: unless a prompt or what ``curl`` prints of a connection shows a terminal, the answer must not
  contradict the request.
* The answer stands further below, as pages and threads have it, in a block of its own or behind words. There it may
  have been made by hand, or copied from elsewhere. It counts as the answer if it fits the request: it is a completion
  or a stream as asked for, of the same model, with as many choices as asked for. It must be the only one that fits,
  before the next command, and the command above that one must not fit, too.

Between them there may be no other command, no request of a program, and no heading, unless the heading is about the
answer. Everything else stays as it was read: nobody knows what was asked.

If the command directly above an answer calls another API, the answer is one of that API. So are errors further below. A
request in a block is one of another API if its URL says so, or if an answer of an API with such requests stands below.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise, takewhile
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.captures.bodies.objects import objects_in
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.texts.barriers import METER, Barrier, barriers
from isogloss.validator.captures.texts.commands import Command, commands_in, may_hold_commands
from isogloss.validator.captures.texts.fitting import contradicts, fits
from isogloss.validator.captures.texts.request_lines import request_lines_in
from isogloss.validator.captures.texts.shell_words import is_filled_in
from isogloss.validator.captures.traffic import why_other_path, why_other_traffic
from isogloss.validator.decode import decode_json
from isogloss.validator.exchange import Cause, Exchange, Payload, Skipped, Stream, Why
from isogloss.validator.kinds.others import answering_api
from isogloss.validator.text import Text

__all__ = ["with_commands"]

_OF_CONNECTION = rb"[*<>](?: [^\n]*)?|[{}] \[\d+ bytes[^\n]*|HTTP/\d[^\n]*|[\w-]{1,60}: \S[^\n]*"
"""What ``curl -v`` and ``curl -i`` print of a connection, and headers."""
_STATUS = rb"(?m)^(?:< )?HTTP/\d"
_SHOWN = 40
_LONGEST_ANSWER = 1 << 16
"""How many bytes below a request are searched for the answer of another API."""
_LINE_END = rb"\r\n|\n|\r"
_BEGINS_ANSWER = rb"[ \t>]*(?:[{\[]|(?:data|event|id|retry)?:)"


class _Answer(Struct, frozen=True):
    """An answer that was found, with its number in all that was found, and the lines on which it stands."""

    number: int
    exchange: Exchange
    first_line: int
    last_line: int


_Item: TypeAlias = Command | _Answer | Barrier


def with_commands(
    capture: Capture, found: Iterable[Exchange | Skipped], *, is_page: bool = False
) -> Iterator[Exchange | Skipped]:
    """Yield what was found in a text, and exchanges with their requests and URLs where a command shows these.

    In a text that is longer than its head, and read line by line, no command is looked for.
    """
    remaining = iter(found)
    first = next(remaining, None)  # a format that reads the whole text has done so then
    if first is None:
        return
    found = chain([first], remaining)
    if capture.whole_head or capture.is_read_whole:
        data = capture.head if capture.whole_head else capture.text.data
        commands = list(commands_in(capture.text)) if may_hold_commands(data) else []
        found = _Lines(capture, commands, is_page=is_page).joined(list(found)) if commands or is_page else found
    yield from found


def _answer(number: int, exchange: Exchange) -> _Answer | None:
    """Return the answer of an exchange, or ``None`` if it has none."""
    body = exchange.response
    if body is None:
        return None
    texts = body.lines if isinstance(body, Stream) and body.lines else [body.text]
    return _Answer(number, exchange, texts[0].place(0).line, _last_line(texts[-1]))


def _request_in_block(exchange: Exchange) -> Command | None:
    """Return the request of an exchange without an answer as a command, or ``None`` if it is a part of something."""
    request = exchange.request
    if request is None or request.at or exchange.response is not None:
        return None
    first, last = request.text.place(0).line, _last_line(request.text)
    return Command(first, last, exchange.host, exchange.path, None, request, form="block")


def _last_line(text: Text) -> int:
    return text.place(max(0, len(text.data.rstrip()) - 1)).line


class _Lines:
    """The lines of a text, in which commands and answers stand."""

    def __init__(self, capture: Capture, commands: list[Command], *, is_page: bool) -> None:
        self._file, self._text, self._is_page = capture.name, capture.text, is_page
        self._command_on = {
            line: command for command in commands for line in range(command.first_line, command.last_line + 1)
        }
        named = request_lines_in(capture.text) if is_page else ()
        self._commands = [*commands, *(one for one in named if one.first_line not in self._command_on)]

    @cached_property
    def _lines(self) -> list[bytes]:
        return re.split(_LINE_END, self._text.data)

    def joined(self, parts: list[Exchange | Skipped]) -> list[Exchange | Skipped]:
        """Return what was found, with each answer that a command got as an exchange with its request.

        A request that was read in a command, or in a block, is left out then, and what follows gets a lower number.
        """
        exchanges = [(number, one) for number, one in enumerate(parts) if isinstance(one, Exchange)]
        senders = {number: one for number, exchange in exchanges if (one := self._command_around(exchange))}
        answers = [_answer(number, one) for number, one in exchanges if one.request is None or number in senders]
        blocks = self._requests_in_blocks(exchanges, senders)
        senders |= blocks
        items: list[_Item] = [*self._commands, *blocks.values(), *(one for one in answers if one is not None)]
        if not any(isinstance(one, Command) for one in items):
            return parts
        items += barriers(self._lines, {line for one in items for line in range(one.first_line, one.last_line + 1)})
        items.sort(key=lambda one: (one.first_line, one.last_line))
        items = list(_with_urls(items))
        found: dict[int, Exchange | Skipped] = {}
        joined: set[int] = set()  # the first lines of commands that got an answer
        for command, answer, is_below in self._pairs(items):
            found[answer.number] = self._exchange(command, answer.exchange, is_below=is_below)
            joined.add(command.first_line)
        alone = {number: senders.get(number) for number, one in exchanges if one.response is None}
        repeated = {number for number, command in alone.items() if command and command.first_line in joined}
        others = self._requests_of_other_apis(items)
        found |= {
            number: Skipped(file=self._file, number=parts[number].number, why=others[command.first_line])
            for number, command in blocks.items()
            if number not in repeated and command.first_line in others
        }
        return _without(repeated, [found.get(number, one) for number, one in enumerate(parts)])

    def _command_around(self, exchange: Exchange) -> Command | None:
        """Return the command in which the request of an exchange stands."""
        if exchange.request is None:
            return None
        return self._command_on.get(exchange.request.text.place(0).line)

    def _requests_in_blocks(
        self, exchanges: Iterable[tuple[int, Exchange]], senders: Container[int]
    ) -> dict[int, Command]:
        """Return the requests of a page that stand in no command, as commands; of several on a line the first one."""
        found: dict[int, Command] = {}
        last_line = 0
        for number, exchange in exchanges if self._is_page else ():
            one = _request_in_block(exchange) if number not in senders else None
            if one is not None and one.first_line > last_line:
                found[number], last_line = one, one.last_line
        return found

    def _requests_of_other_apis(self, items: Sequence[_Item]) -> dict[int, Why]:
        """Return why requests in blocks are of another API, by their first lines: by their URL, or by what is below."""
        found = {}
        for one, behind in pairwise([*items, None]):
            if isinstance(one, Command) and one.form == "block":
                end = len(self._lines) if behind is None else behind.first_line - 1
                why = why_other_path(one.path, one.method) or self._why_other_answer(one.last_line, end)
                if why is not None:
                    found[one.first_line] = why
        return found

    def _why_other_answer(self, start: int, end: int) -> Why | None:
        """Return why the first object on some lines, below a request, is an answer of another API, or ``None``."""
        below = b"\n".join(self._lines[start:end])[:_LONGEST_ANSWER]
        answer = next(objects_in(Text(below)), None)
        decoded = None if answer is None else decode_json(answer.data)
        api = answering_api(decoded.value) if decoded is not None and isinstance(decoded.value, dict) else None
        return None if api is None else Why(f"not Chat Completions: {api}", Cause.OTHER)

    def _pairs(self, items: list[_Item]) -> Iterator[tuple[Command, _Answer, bool]]:
        """Yield each command that got an answer, with the answer, and whether this stands directly below it."""
        before: Command | None = None  # the command above, if nothing stands behind that one
        for position, command in enumerate(items):
            if isinstance(command, Command):
                following = _answers_behind(items, position)
                if following and self._is_what_it_got(command, following[0]):
                    yield command, following[0], True
                elif (answer := _only_answer(command, following, before)) is not None:
                    yield command, answer, False
                if why_other_path(command.path, command.method) is not None:
                    yield from ((command, error, False) for error in takewhile(_is_error, following))
                before = None if following else command
            elif isinstance(command, Barrier):
                before = None

    def _exchange(self, command: Command, answer: Exchange, *, is_below: bool) -> Exchange | Skipped:
        """Return the exchange of a command and its answer, or why it is other traffic.

        A document directly below ``curl`` is as it was sent, unless a program decoded and printed it.
        """
        host, path, body = answer.host or command.host, answer.path or command.path, answer.response
        request = command.request or answer.request
        if request is not None and request is not command.request and is_filled_in(request.text.data):
            request = None  # it was read on a line of a here-document, and nobody knows what was sent
        asked = None if request is None else request.value
        why = why_other_traffic(asked, body, path, command.method, shows_http=host is not None)
        if why is not None:
            return Skipped(file=self._file, number=answer.number, why=why)
        is_as_sent = is_below and command.is_curl and isinstance(body, Payload) and self._is_shown(body.text)
        return replace(answer, request=request, host=host, path=path, dumped=answer.dumped and not is_as_sent)

    def _is_shown(self, text: Text) -> bool:
        """Return whether a text stands in the capture as it is, and not as a literal of a language."""
        begins = text.data.partition(b"\n")[0].rstrip(b"\r")[:_SHOWN]
        return begins in self._lines[text.place(0).line - 1]

    def _is_what_it_got(self, command: Command, answer: _Answer) -> bool:
        """Return whether an answer directly below a command is what the command got.

        It is if something shows that this is a copy of a terminal, or if the answer does not contradict the request.
        Only blank lines and what ``curl`` prints of a connection may stand between them.
        """
        between = self._lines[command.last_line : answer.first_line - 1]
        is_on_line_of_command = answer.first_line == command.last_line  # a copy has lost the line end between them
        if not is_on_line_of_command and not re.match(_BEGINS_ANSWER, self._lines[answer.first_line - 1]):
            return False
        others = [line for line in between if re.fullmatch(METER, line) is None]
        if others:
            is_of_connection = all(map(re.compile(_OF_CONNECTION).fullmatch, others))
            return is_of_connection and re.search(_STATUS, b"\n".join(others)) is not None
        has_meter = any(line.strip() for line in between)
        return command.has_prompt or has_meter or not contradicts(command, answer.exchange.response)


def _with_urls(items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield the items; a request in a block gets the URL that a line above it names."""
    named: Command | None = None
    for one in items:
        if isinstance(one, Command) and one.form == "block" and one.path is None and named is not None:
            yield replace(one, host=named.host, path=named.path, method=named.method)
        else:
            yield one
        if not isinstance(one, Barrier) or not one.is_of_request:
            named = one if isinstance(one, Command) and one.form == "line" else None


def _without(repeated: set[int], parts: list[Exchange | Skipped]) -> list[Exchange | Skipped]:
    """Return the parts without those of these positions. What follows gets a lower number."""
    kept: list[Exchange | Skipped] = []
    left_out = 0
    for position, one in enumerate(parts):
        if position in repeated:
            left_out += 1
        else:
            kept.append(replace(one, number=one.number - left_out) if left_out and one.number is not None else one)
    return kept


def _only_answer(command: Command, answers: Sequence[_Answer], before: Command | None) -> _Answer | None:
    """Return the only one of the answers below a command that fits its request, or ``None``.

    The command ``before`` must not fit, too.
    """
    fitting = [answer for answer in answers if fits(command, answer.exchange.response)]
    is_certain = len(fitting) == 1 and (before is None or not fits(before, fitting[0].exchange.response))
    return fitting[0] if is_certain else None


def _is_error(answer: _Answer) -> bool:
    return isinstance(answer.exchange.response, Payload) and answer.exchange.response.kind == "error"


def _answers_behind(items: Sequence[_Item], position: int) -> list[_Answer]:
    """Return the answers behind a command, before the next command or barrier."""
    found = []
    for number in range(position + 1, len(items)):
        if not isinstance(one := items[number], _Answer):
            break
        found.append(one)
    return found
