"""Join a command that sends a request with the answer below it, in a page or in a copy of a terminal.

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

If the command directly above an answer calls another API, the answer is one of that API.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.texts.commands import Command, commands_in, may_hold_commands
from isogloss.validator.captures.traffic import why_other_path, why_other_traffic
from isogloss.validator.exchange import Exchange, Payload, Response, Skipped, Stream
from isogloss.validator.kinds.model_names import are_of_one_model
from isogloss.validator.text import Text

__all__ = ["with_commands"]

_TRAFFIC = rb"[\"']?\b(?:messages|choices)[\"']?\s*[:=]"
"""A line of a request or of an answer that is not read by itself."""
_HEADING = rb"(?:#{1,6}|={2,6})[ \t]+(?P<words>[^\r\n]*)|<h[1-6][^>]*>(?P<tag>[^<]*)"
_UNDERLINE = rb"(?:={3,}|-{3,}|~{3,}|\^{3,}|\"{3,})[ \t]*\r?\Z"
"""What stands below a heading of Markdown or reStructuredText."""
_BEFORE_BLOCK = (b"[", b".")
"""How a line begins that AsciiDoc has above a block, whose first line looks like the end of a heading."""
_OF_ANSWER = frozenset({
    "response", "responses", "output", "outputs", "answer", "result", "results", "reply", "响应", "响应示例",
    "响应结果", "返回", "返回示例", "返回结果", "输出", "输出示例", "レスポンス", "応答", "出力", "응답",
})  # fmt: skip
_BESIDE_ANSWER = frozenset({
    "example", "sample", "expected", "actual", "successful", "success", "typical", "api", "server", "the", "json",
    "non", "streaming", "streamed", "body", "ok",
})  # fmt: skip
"""The words of a heading that is about an answer alone: one of the first, and no others than of both."""
_PROMPT = (
    rb"[^\"'`={}<\r\n]{0,100}(?:[$%]|\xe2\x9d\xaf|\xe2\x9e\x9c)[ \t]+\S"
    rb"|[ \t]*[^\s\"'`={}<#>][^\"'`={}<\r\n#>]{0,100}[#>][ \t]+\S"
)
"""A prompt of a shell, and a command. A ``#`` by itself begins a comment, and a ``>`` a quotation."""
_METER = rb"\s*|[^\n]*--:--[^\n]*|\s*% Total[^\n]*|\s{5,}Dload[^\n]*"
"""Blank lines, and what ``curl`` prints of how much has come."""
_OF_CONNECTION = rb"[*<>](?: [^\n]*)?|[{}] \[\d+ bytes[^\n]*|HTTP/\d[^\n]*|[\w-]{1,60}: \S[^\n]*"
"""What ``curl -v`` and ``curl -i`` print of a connection, and headers."""
_STATUS = rb"(?m)^(?:< )?HTTP/\d"
_SHOWN = 40
_LINE_END = rb"\r\n|\n|\r"
_BEGINS_ANSWER = rb"[ \t>]*(?:[{\[]|(?:data|event|id|retry)?:)"


class _Answer(Struct, frozen=True):
    """An answer that was found, with its number in all that was found, and the lines on which it stands."""

    number: int
    exchange: Exchange
    first_line: int
    last_line: int


class _Barrier(Struct, frozen=True):
    """A line behind which no answer belongs to a command before it."""

    first_line: int
    last_line: int


_Item: TypeAlias = Command | _Answer | _Barrier


def with_commands(capture: Capture, found: Iterable[Exchange | Skipped]) -> Iterator[Exchange | Skipped]:
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
        found = _Lines(capture, commands).joined(list(found)) if commands else found
    yield from found


def _answer(number: int, exchange: Exchange) -> _Answer | None:
    """Return the answer of an exchange, or ``None`` if it has none."""
    body = exchange.response
    if body is None:
        return None
    texts = body.lines if isinstance(body, Stream) and body.lines else [body.text]
    last = texts[-1]
    return _Answer(number, exchange, texts[0].place(0).line, last.place(max(0, len(last.data.rstrip()) - 1)).line)


class _Lines:
    """The lines of a text, in which commands and answers stand."""

    def __init__(self, capture: Capture, commands: list[Command]) -> None:
        self._file, self._commands = capture.name, commands
        self._lines = re.split(_LINE_END, capture.text.data)
        self._command_on = {line: one for one in commands for line in range(one.first_line, one.last_line + 1)}

    def joined(self, parts: list[Exchange | Skipped]) -> list[Exchange | Skipped]:
        """Return what was found, with each answer that a command got as an exchange with its request.

        A request that was read in a command is left out then, and what follows gets a lower number.
        """
        exchanges = [(number, one) for number, one in enumerate(parts) if isinstance(one, Exchange)]
        in_commands = {number: self._command_around(one) for number, one in exchanges}
        answers = [_answer(number, one) for number, one in exchanges if one.request is None or in_commands[number]]
        items: list[_Item] = [*self._commands, *(one for one in answers if one is not None)]
        items += self._barriers(items)
        items.sort(key=lambda one: (one.first_line, one.last_line))
        found: dict[int, Exchange | Skipped] = {}
        joined: set[int] = set()  # the first lines of commands that got an answer
        for command, answer, is_below in self._pairs(items):
            found[answer.number] = self._exchange(command, answer.exchange, is_below=is_below)
            joined.add(command.first_line)
        alone = {number: in_commands[number] for number, one in exchanges if one.response is None}
        repeated = {number for number, command in alone.items() if command and command.first_line in joined}
        return _without(repeated, [found.get(number, one) for number, one in enumerate(parts)])

    def _command_around(self, exchange: Exchange) -> Command | None:
        """Return the command in which the request of an exchange stands."""
        if exchange.request is None:
            return None
        return self._command_on.get(exchange.request.text.place(0).line)

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
                before = None if following else command
            elif isinstance(command, _Barrier):
                before = None

    def _exchange(self, command: Command, answer: Exchange, *, is_below: bool) -> Exchange | Skipped:
        """Return the exchange of a command and its answer, or why it is other traffic.

        A document directly below ``curl`` is as it was sent, unless a program decoded and printed it.
        """
        host, path, body = answer.host or command.host, answer.path or command.path, answer.response
        request = command.request or answer.request
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
        others = [line for line in between if re.fullmatch(_METER, line) is None]
        if others:
            is_of_connection = all(map(re.compile(_OF_CONNECTION).fullmatch, others))
            return is_of_connection and re.search(_STATUS, b"\n".join(others)) is not None
        has_meter = any(line.strip() for line in between)
        return command.has_prompt or has_meter or not _contradicts(command, answer.exchange.response)

    def _barriers(self, items: Iterable[_Item]) -> Iterator[_Barrier]:
        taken = {line for one in items for line in range(one.first_line, one.last_line + 1)}
        fence = b""
        for number, (above, line) in enumerate(pairwise([b"", *self._lines]), 1):
            bare = line.strip(b" \t>")
            if bare.startswith((b"```", b"~~~")) and (not fence or bare.startswith(fence)):
                fence = b"" if fence else bare[:3]
            elif number not in taken and (
                re.search(_TRAFFIC, line)
                or (re.match(_PROMPT, line) and not re.fullmatch(_METER, line))
                or (not fence and _is_heading(line, b"" if number - 1 in taken else above))
            ):
                yield _Barrier(number, number)


def _is_heading(line: bytes, above: bytes) -> bool:
    """Return whether a line outside of blocks is a heading, or the end of one, and not one about an answer."""
    heading = re.match(_HEADING, line)
    if heading is not None:
        words = heading["words"] or heading["tag"] or b""
    elif above.strip() and not above.startswith(_BEFORE_BLOCK) and re.match(_UNDERLINE, line):
        words = above
    else:
        return False
    found = set(re.findall(r"[^\W\d_]+", words.decode("utf-8", "replace").lower()))
    return not found & _OF_ANSWER or not found <= _OF_ANSWER | _BESIDE_ANSWER


def _without(repeated: set[int], parts: list[Exchange | Skipped]) -> list[Exchange | Skipped]:
    """Return the parts without those of these positions. What follows gets a lower number."""
    kept: list[Exchange | Skipped] = []
    for position, one in enumerate(parts):
        if position not in repeated:
            number = None if one.number is None else one.number - sum(before < position for before in repeated)
            kept.append(one if not repeated else replace(one, number=number))
    return kept


def _only_answer(command: Command, answers: Sequence[_Answer], before: Command | None) -> _Answer | None:
    """Return the only one of the answers below a command that fits its request, or ``None``.

    The command ``before`` must not fit, too. If the first answer is an error, and the command calls another API, it is
    the error.
    """
    fitting = [one for one in answers if _fits(command, one.exchange.response)]
    if len(fitting) == 1 and (before is None or not _fits(before, fitting[0].exchange.response)):
        return fitting[0]
    first = answers[0].exchange.response if answers else None
    is_error = isinstance(first, Payload) and first.kind == "error"
    return answers[0] if is_error and why_other_path(command.path, command.method) else None


def _answers_behind(items: Sequence[_Item], position: int) -> list[_Answer]:
    """Return the answers behind a command, before the next command or barrier."""
    found = []
    for one in items[position + 1 :]:
        if not isinstance(one, _Answer):
            break
        found.append(one)
    return found


def _fits(command: Command, body: Response | None) -> bool:
    """Return whether a completion or a stream is what the request of a command asks for."""
    if command.request is None or why_other_path(command.path, command.method) is not None:
        return False
    is_answer = isinstance(body, Stream) or (isinstance(body, Payload) and body.kind == "completion")
    return is_answer and not _contradicts(command, body)


def _contradicts(command: Command, body: Response | None) -> bool:
    """Return whether an answer has another form or model than the request of a command, or other choices.

    Whatever the request is, an error may answer it. A chunk alone is what a copy keeps of a stream.
    """
    if command.request is None or not isinstance(body, Stream | Payload):
        return False
    if isinstance(body, Payload) and body.kind not in ("completion", "chunk"):
        return False
    asked, is_chunk = command.request.value, isinstance(body, Payload) and body.kind == "chunk"
    answers = body.values if isinstance(body, Stream) else [body.value]
    values = [one for one in answers if isinstance(one, dict)]
    is_streamed = is_chunk or isinstance(body, Stream)
    if not isinstance(asked, dict) or not values or is_streamed != (asked.get("stream") is True):
        return True
    requested, answering = asked.get("model"), values[0].get("model")
    if isinstance(requested, str) and isinstance(answering, str) and not are_of_one_model(requested, answering):
        return True
    return not is_chunk and _number_of_choices(values) != (asked.get("n") or 1)


def _number_of_choices(values: list[dict[str, object]]) -> int:
    """Return how many choices a completion has, or the chunks of a stream."""
    choices = [one for value in values for one in _list(value.get("choices")) if isinstance(one, dict)]
    return len({str(one.get("index")) for one in choices}) if len(values) > 1 else len(choices)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
