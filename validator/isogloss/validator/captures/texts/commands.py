"""Read the commands of a shell that send a request: ``curl``, HTTPie, and ``Invoke-RestMethod`` of PowerShell.

Before each further line of a command may stand what a shell prints there (``> ``). The body is that of ``-d`` and
similar options, or of a here-document. It is known only if the shell puts nothing else in the place of a part of it,
such as a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from isogloss.validator.captures.capture import without
from isogloss.validator.captures.http import host_and_path
from isogloss.validator.captures.texts.shell_words import ShellWord, ShellWords
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
_PROMPT = rb"\s*|.*[#$%>]\s*|\s*cat <<.*"
"""What stands before a command whose name is a word of many sentences."""
_BEHIND_PROMPT = rb"[^\n]*?(?:[$%#>]|\xe2\x9d\xaf|\xe2\x9e\x9c)(?:[ \t]|\Z)"
_PRINTS_BODY = rb"\bcat[ \t]+<<[^|]*\|[ \t]*\Z"
_ENDS = re.compile(rb"[^\n]*")
_SHORT = b"dHXouAbeFmwxTEKcCDrtyYzQP"
"""The options of ``curl`` of one letter that have a value."""
_LONG = frozenset({
    b"data", b"data-raw", b"data-binary", b"data-ascii", b"data-urlencode", b"json", b"header", b"request", b"url",
    b"output", b"user", b"user-agent", b"cookie", b"referer", b"form", b"max-time", b"connect-timeout", b"write-out",
    b"proxy", b"cert", b"key", b"cacert", b"resolve", b"retry", b"retry-delay", b"retry-max-time", b"oauth2-bearer",
    b"dump-header", b"interface", b"limit-rate", b"unix-socket", b"aws-sigv4", b"config", b"trace", b"trace-ascii",
})  # fmt: skip
_OF_POWERSHELL = frozenset({b"body", b"uri", b"method", b"headers", b"contenttype"})
"""The options of PowerShell that have a value, as far as they are read."""
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
        self._words = ShellWords(self._text, found.end() - found.start("name"), found["before"])
        self._bodies: list[ShellWord] = []
        self._url: ShellWord | None = None
        self._method: str | None = None
        self._is_unknown = b"|" in found["before"] and re.search(_PRINTS_BODY, found["before"]) is None
        self._name = found["name"].lower()

    def command(self) -> tuple[Command, int] | None:
        """Return the command, and where it ends in the whole text, or ``None`` if no URL is in it."""
        for word in self._words:
            self._add(word)
        if self._url is None:
            return None
        data = self._text.data
        end = _ENDS.match(data, self._words.position)
        body, line_end = self._body(end.end() if end else len(data))
        host, path = host_and_path_of(self._url.value.decode("utf-8", "replace"))
        first = self._text.place(0)
        last = self._text.place(max(0, line_end - 1))
        request = None if body is None or self._is_unknown else _request(body, path)
        has_body = self._bodies or self._words.strings or self._words.has_document
        method = self._method or ("POST" if has_body else None)
        is_curl = self._name.startswith(b"curl")
        has_prompt = re.match(_BEHIND_PROMPT, self._found["before"]) is not None
        command = Command(first.line, last.line, host, path, method, request, is_curl, has_prompt)
        return command, _end_of_line(self._whole.data, self._found.start(), data.count(b"\n", 0, line_end))

    def _body(self, line_end: int) -> tuple[Text | None, int]:
        """Return the body, or ``None`` if it is not known, and where the command ends with it."""
        bodies = [*self._bodies, *self._words.strings]
        if self._words.has_document:
            document, line_end = self._words.document(line_end)
            is_sent = not bodies or bodies[0].value in (b"@-", b"@/dev/stdin")
            return document if is_sent else None, line_end
        bodies = [one for one in bodies if one.value != b"@-"]
        return self._words.text_of(bodies[0]) if len(bodies) == 1 else None, line_end

    def _add(self, word: ShellWord) -> None:
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

    def _option(self, word: ShellWord) -> tuple[bytes, ShellWord | None]:
        """Return the name of an option without its dashes, and its value, or an empty name for any other word."""
        data = word.value
        if not data.startswith(b"-") or data == b"-":
            return b"", None
        if self._name in _HTTPIE:
            return data.lstrip(b"-"), None
        if not self._name.startswith(b"curl"):
            name = data[1:].lower()
            return name, self._words.next() if name in _OF_POWERSHELL else None
        if data.startswith(b"--"):
            name, equals, _ = data[2:].partition(b"=")
            if equals:
                return name, word.behind(len(name) + 3)
            return name, self._words.next() if name in _LONG else None
        for position, letter in enumerate(data[1:], 1):
            if letter in _SHORT:
                rest = word.behind(position + 1)
                return bytes([letter]), rest if rest.value else self._words.next()
        return data[1:], None


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
