"""Read the commands of a shell that send a request: ``curl``, HTTPie, and ``Invoke-RestMethod`` of PowerShell.

A command goes on over lines that end with the mark for that (a backslash, the ``^`` of cmd, the backtick of
PowerShell), over lines in quotes, and over lines of options that lack the mark, as people write them in pages. Before
each of these lines may stand what a shell prints there (``> ``). The body is that of ``-d`` and its kin, or of a
here-document. It is known only if the shell puts nothing else in the place of a part of it, such as a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

from isogloss.validator.captures.capture import without
from isogloss.validator.captures.http import host_and_path
from isogloss.validator.captures.traffic import is_chat_path
from isogloss.validator.decode import decode_json
from isogloss.validator.exchange import Payload
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = ["Command", "commands_in", "host_and_path_of", "may_hold_commands"]

_LONGEST = 1 << 17
"""How many bytes of a text are read as one command."""
_MOST = 500
"""How many names of commands are looked at in a text."""
_NAME = re.compile(
    rb"(?mi)^(?P<before>(?:[^\n\"'`|<]{0,200}<<-?[ \t]?['\"]?\w{1,40}['\"]?[ \t]*\|)?[^\n\"'`]{0,200}?)"
    rb"(?<![\w./\\\"'`(=-])"
    rb"(?P<name>curl(?:\.exe)?|https?|xh|invoke-(?:restmethod|webrequest)|irm|iwr)(?=[ \t])"
)
"""The name of a command on its line. What is in quotes, in ``$(…)`` or behind ``=``, prints nothing there."""
_NAMES = (b"curl", b"http ", b"https ", b"xh ", b"Invoke-", b"irm ", b"iwr ")
_HTTPIE = frozenset({b"http", b"https", b"xh"})
_MARK = re.compile(rb"[ \t]*(?:(?:[a-z]{1,12} ){0,3}d?(?:quote|heredoc|pipe))?>{1,2}(?: |(?=[\r\n]|\Z))")
"""What a shell prints before each further line of a command; zsh also names what is open there."""
_BLANK = re.compile(rb"[ \t]+|[\\`^][ \t]*\r?\n|\r?\n(?=[ \t]*-{1,2}[A-Za-z])")
"""What stands between words: blanks, and ends of lines that do not end the command."""
_WORD = re.compile(
    rb"(?x) (?: '[^']*+' | \"(?:[^\"\\`]|[\\`](?s:.))*+\" | \\[^\r\n] | (?! (?<=['\"])(?:\{|data:) ) [^\s'\"\\`;|&<>()]"
    rb"| <[\w -]{1,40}> | (?<=\S)&(?=\w) )+"
)
"""A word. In a copy that has lost line ends, a brace or an event directly behind a quotation mark begins the answer."""
_HERE = re.compile(rb"<<(?:(?P<string><)|-?[ \t]*(?P<quote>['\"\\])?(?P<word>\w{1,40})['\"]?)")
_PROMPT = rb"\s*|.*[#$%>]\s*|\s*cat <<.*"
"""What stands before a command whose name is a word of many sentences."""
_BEHIND_PROMPT = rb"[^\n]*?(?:[$%#>]|\xe2\x9d\xaf|\xe2\x9e\x9c)(?:[ \t]|\Z)"
_PRINTS_BODY = rb"\bcat[ \t]+<<[^|]*\|[ \t]*\Z"
_ENDS = re.compile(rb"[^\n]*")
_QUOTED = re.compile(rb"'(?P<plain>[^']*+)'|\"(?P<double>(?:[^\"\\`]|[\\`](?s:.))*+)\"|\\(?P<escaped>[^\r\n])|(?s:.)")
_ESCAPE = rb"[\\`](?:(?P<kept>[\"\\$`])|\r?\n)"
_EXPANSION = rb"(?<!\\)\$[\w{(]|(?<!\\)`[^\"`\\$]"
"""Where a shell puts something else: a variable, or what a command prints."""
_SHORT = b"dHXouAbeFmwxTEKcCDrtyYzQP"
"""The options of ``curl`` of one letter that have a value."""
_LONG = frozenset({
    b"data", b"data-raw", b"data-binary", b"data-ascii", b"data-urlencode", b"json", b"header", b"request", b"url",
    b"output", b"user", b"user-agent", b"cookie", b"referer", b"form", b"max-time", b"connect-timeout", b"write-out",
    b"proxy", b"cert", b"key", b"cacert", b"resolve", b"retry", b"retry-delay", b"retry-max-time", b"oauth2-bearer",
    b"dump-header", b"interface", b"limit-rate", b"unix-socket", b"aws-sigv4", b"config", b"trace", b"trace-ascii",
})  # fmt: skip
_BODIES = frozenset({b"d", b"data", b"data-raw", b"data-binary", b"data-ascii", b"json", b"body"})
_URLS = frozenset({b"url", b"uri"})
_METHODS = frozenset({b"X", b"request", b"method"})
_URL = rb"(?i)https?://|localhost\b|:\d|[\w.-]+[.:][\w.-]*/|/|[$<{]"
_UNKNOWN_BASE = r"^(?:\$\w+|\$\{[^{}]*\}|\{\{?[^{}]*\}?\}|<[^<>]*>)(?=/)"
_HOST = r"[\w.:\[\]-]+"


class Command(Struct, frozen=True):
    """A command that sends a request: the lines on which it begins and ends, where it goes, and what it sends.

    ``host``, ``path`` and ``method`` are ``None`` if they are not known. ``request`` is ``None`` if it is no request of
    this API, or not known as a whole. ``has_prompt`` says that a prompt of a shell stands before the command. ``form``
    says what counts as the command: a line of a page may name a URL, and a block may be a request.
    """

    first_line: int
    last_line: int
    host: str | None
    path: str | None
    method: str | None
    request: Payload | None
    is_curl: bool = False
    has_prompt: bool = False
    form: Literal["command", "line", "block"] = "command"


class _Word(NamedTuple):
    """A word of a command: what it says, and where it stands."""

    value: bytes
    start: int
    end: int


def may_hold_commands(data: bytes) -> bool:
    """Return whether a text may hold a command that sends a request. This takes little time."""
    return any(name in data for name in _NAMES)


def commands_in(text: Text) -> Iterator[Command]:
    """Yield the commands in a text that send a request to a URL, in order."""
    position = 0
    for _ in range(_MOST):
        if (match := _NAME.search(text.data, position)) is None:
            return
        is_command = match["name"].lower().startswith(b"curl") or re.fullmatch(_PROMPT, match["before"])
        command = _Reader(text, match).command() if is_command else None
        position = match.end() if command is None else max(match.end(), command[1])
        if command is not None:
            yield command[0]


class _Reader:
    """Reads one command, whose name was found."""

    def __init__(self, text: Text, found: re.Match[bytes]) -> None:
        self._whole, self._found = text, found
        self._text = _without_marks(text, found)
        self._position = found.end() - found.start("name")
        self._bodies: list[_Word] = []
        self._here = _HERE.search(found["before"])
        self._url: _Word | None = None
        self._method: str | None = None
        self._is_unknown = b"|" in found["before"] and re.search(_PRINTS_BODY, found["before"]) is None
        self._name = found["name"].lower()

    def command(self) -> tuple[Command, int] | None:
        """Return the command, and where it ends in the whole text, or ``None`` if no URL is in it."""
        for word in self._words():
            self._add(word)
        if self._url is None:
            return None
        data = self._text.data
        end = _ENDS.match(data, self._position)
        line_end = end.end() if end else len(data)
        body, line_end = self._body(line_end)
        host, path = host_and_path_of(self._url.value.decode("utf-8", "replace"))
        first = self._text.place(0)
        last = self._text.place(max(0, line_end - 1))
        request = None if body is None or self._is_unknown else _request(body, path)
        method = self._method or ("POST" if self._bodies or self._here else None)
        is_curl = self._name.startswith(b"curl")
        has_prompt = re.match(_BEHIND_PROMPT, self._found["before"]) is not None
        command = Command(first.line, last.line, host, path, method, request, is_curl, has_prompt)
        return command, _end_of_line(self._whole.data, self._found.start(), data.count(b"\n", 0, line_end))

    def _words(self) -> Iterator[_Word]:
        data = self._text.data
        while True:
            self._skip_blanks()
            if here := _HERE.match(data, self._position):
                self._position = here.end()
                if here["string"] and (word := self._word()) is not None:
                    self._bodies.append(word)
                elif not here["string"]:
                    self._here = here
                continue
            word = self._word()
            if word is None:
                return
            yield word

    def _word(self) -> _Word | None:
        self._skip_blanks()
        match = _WORD.match(self._text.data, self._position)
        if match is None:
            return None
        self._position = match.end()
        return _Word(self._said(match.start(), match.end()).data, match.start(), match.end())

    def _skip_blanks(self) -> None:
        while blank := _BLANK.match(self._text.data, self._position):
            self._position = blank.end()

    def _said(self, start: int, end: int) -> Text:
        """Return what a word says: without its quotes, and without the backslashes of its escapes."""
        data = self._text.data
        spans: list[tuple[int, int]] = []
        for part in _QUOTED.finditer(data, start, end):
            if part.lastgroup is None:
                continue
            begin, stop = part.start() - start, part.end() - start
            spans.append((begin, begin + 1))
            if part.lastgroup == "escaped":
                continue
            if part.lastgroup == "double":
                inner = part.start("double")
                escapes = re.compile(_ESCAPE).finditer(data, inner, part.end("double"))
                spans += [(one.start() - start, one.end() - start - (one["kept"] is not None)) for one in escapes]
            spans.append((stop - 1, stop))
        return without(self._text.slice(start, end), spans)

    def _add(self, word: _Word) -> None:
        """Add a word: an option, whose value may be in it or may follow, or the URL."""
        option, value = self._option(word)
        if option in _BODIES and value is not None:
            self._bodies.append(value)
        elif option in _URLS and value is not None:
            self._url = value
        elif option in _METHODS and value is not None:
            self._method = value.value.decode("ascii", "replace").upper()
        elif option in (b"data-urlencode", b"F", b"form", b"G", b"get", b"T"):
            self._is_unknown = True
        elif option == b"" and self._name in _HTTPIE and self._url is None and word.value.isupper():
            self._method = word.value.decode("ascii", "replace")
        elif option == b"" and self._url is None and re.match(_URL, word.value):
            self._url = word

    def _option(self, word: _Word) -> tuple[bytes, _Word | None]:
        """Return the name of an option without its dashes, and its value, or an empty name for any other word."""
        data = word.value
        if not data.startswith(b"-") or data == b"-":
            return b"", None
        if self._name in _HTTPIE:
            return data.lstrip(b"-"), None
        if not self._name.startswith(b"curl"):
            name = data[1:].lower()
            return name, self._word() if name in (b"body", b"uri", b"method", b"headers", b"contenttype") else None
        if data.startswith(b"--"):
            name, equals, _ = data[2:].partition(b"=")
            if equals:
                return name, self._rest(word, len(name) + 3)
            return name, self._word() if name in _LONG else None
        for position, letter in enumerate(data[1:], 1):
            if letter in _SHORT:
                rest = self._rest(word, position + 1)
                return bytes([letter]), rest if rest.value else self._word()
        return data[1:], None

    def _rest(self, word: _Word, size: int) -> _Word:
        """Return the value behind an option in the same word."""
        return _Word(word.value[size:], word.start + size, word.end)

    def _body(self, line_end: int) -> tuple[Text | None, int]:
        """Return the body, or ``None`` if it is not known, and where the command ends with it."""
        data = self._text.data
        if self._here is not None:
            end = re.compile(rb"(?m)^[ \t]*%b[ \t\r]*$" % re.escape(self._here["word"])).search(data, line_end)
            if end is None:
                return None, line_end
            body = self._text.slice(min(line_end + 1, end.start()), end.start())
            is_plain = self._here["quote"] is not None or re.search(_EXPANSION, body.data) is None
            is_sent = not self._bodies or self._bodies[0].value in (b"@-", b"@/dev/stdin")
            return body if is_plain and is_sent else None, end.end()
        bodies = [one for one in self._bodies if one.value != b"@-"]
        if len(bodies) != 1 or self._is_expanded(bodies[0]):
            return None, line_end
        return self._said(bodies[0].start, bodies[0].end), line_end

    def _is_expanded(self, word: _Word) -> bool:
        """Return whether a shell puts something else in the place of a part of a word."""
        parts = _QUOTED.finditer(self._text.data, word.start, word.end)
        found = b"".join(part["double"] or b"" if part.lastgroup else part[0] for part in parts)
        return re.search(_EXPANSION, found) is not None


def _without_marks(text: Text, found: re.Match[bytes]) -> Text:
    """Return a text from the name of a command on, without what a shell printed before its further lines."""
    behind = text.slice(found.start("name"), found.start("name") + _LONGEST)
    spans = []
    position = behind.data.find(b"\n") + 1
    while position and (mark := _MARK.match(behind.data, position)):
        spans.append(mark.span())
        position = behind.data.find(b"\n", mark.end()) + 1
    return without(behind, spans) if spans else behind


def _end_of_line(data: bytes, start: int, lines: int) -> int:
    """Return where the line ends that stands so many lines below that of an offset."""
    end = start - 1
    for _ in range(lines + 1):
        end = data.find(b"\n", end + 1)
        if end < 0:
            return len(data)
    return end


def host_and_path_of(url: str) -> tuple[str | None, str | None]:
    """Return the host and the path of a URL; each is ``None`` if it is not known, or has a variable in it."""
    url = re.sub(_UNKNOWN_BASE, "", url)
    if url.startswith(":"):
        url = f"localhost{url}"  # as HTTPie has it
    host, path = host_and_path(url)
    return host if host is not None and re.fullmatch(_HOST, host) else None, path


def _request(text: Text, path: str | None) -> Payload | None:
    """Return the request that a text is, or ``None`` for anything else, and for one that is not sound."""
    decoded = decode_json(text.data)
    if decoded is None or not decoded.sound or not isinstance(decoded.value, dict):
        return None
    if not is_chat_path(path) and kind_of(decoded.value) != "request":
        return None
    return Payload("request", decoded.value, text)
