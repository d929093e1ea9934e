"""Read the words of a command of a shell: without their quotes and escapes, over all lines that the command goes on.

A command goes on over lines that end with the mark for that (a backslash, the ``^`` of cmd, the backtick of
PowerShell), over lines in quotes, and over lines of options that lack the mark, as people write them in pages. Behind a
word may stand a here-document, or a here-string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from isogloss.validator.captures.capture import without
from isogloss.validator.text import Text

__all__ = ["ShellWord", "ShellWords", "is_filled_in"]

_BLANK = re.compile(rb"[ \t]+|[\\`^][ \t]*\r?\n|\r?\n(?=[ \t]*-{1,2}[A-Za-z])")
"""What stands between words: blanks, and ends of lines that do not end the command."""
_WORD = re.compile(
    rb"(?x) (?: '[^']*+' | \"(?:[^\"\\`]|[\\`](?s:.))*+\" | \\[^\r\n] | (?! (?<=['\"])(?:\{|data:) ) [^\s'\"\\`;|&<>()]"
    rb"| <[\w -]{1,40}> | (?<=\S)&(?=\w) )+"
)
"""A word. In a copy that has lost line ends, a brace or an event directly behind a quotation mark begins the answer."""
_HERE = re.compile(rb"<<(?:(?P<string><)|-?[ \t]*(?P<quote>['\"\\])?(?P<word>\w{1,40})['\"]?)")
_QUOTED = re.compile(rb"'(?P<plain>[^']*+)'|\"(?P<double>(?:[^\"\\`]|[\\`](?s:.))*+)\"|\\(?P<escaped>[^\r\n])|(?s:.)")
_ESCAPE = rb"[\\`](?:(?P<kept>[\"\\$`])|\r?\n)"
_EXPANSION = rb"(?<!\\)\$[\w{(]|(?<!\\)`[^\"`\\$]"
"""Where a shell puts something else: a variable, or what a command prints."""


def is_filled_in(data: bytes) -> bool:
    """Return whether a shell puts something else in the place of a part of a text, where nothing is quoted."""
    return re.search(_EXPANSION, data) is not None


class ShellWord(NamedTuple):
    """A word of a command: its value for the program that is called, and where it stands."""

    value: bytes
    start: int
    end: int

    def behind(self, size: int) -> ShellWord:
        """Return the rest of the word behind so many bytes, such as the value of an option that stands in it."""
        return ShellWord(self.value[size:], self.start + size, self.end)


class ShellWords:
    """The words of a command, one after the other; iteration ends where the command ends.

    ``position`` is the offset in the text from which on the next word is read. ``strings`` are the here-strings so far.
    """

    def __init__(self, text: Text, position: int, before: bytes) -> None:
        self._text = text
        self.position = position
        self.strings: list[ShellWord] = []
        self._here = _HERE.search(before)

    @property
    def has_document(self) -> bool:
        """Whether a here-document was found, before the command or behind a word."""
        return self._here is not None

    def __iter__(self) -> Iterator[ShellWord]:
        while True:
            self._skip_blanks()
            if here := _HERE.match(self._text.data, self.position):
                self.position = here.end()
                if here["string"] and (word := self.next()) is not None:
                    self.strings.append(word)
                elif not here["string"]:
                    self._here = here
                continue
            word = self.next()
            if word is None:
                return
            yield word

    def next(self) -> ShellWord | None:
        """Read the next word, such as the value of an option, or return ``None`` if the command ends."""
        self._skip_blanks()
        match = _WORD.match(self._text.data, self.position)
        if match is None:
            return None
        self.position = match.end()
        return ShellWord(self._unquoted(match.start(), match.end()).data, match.start(), match.end())

    def _skip_blanks(self) -> None:
        while blank := _BLANK.match(self._text.data, self.position):
            self.position = blank.end()

    def _unquoted(self, start: int, end: int) -> Text:
        """Return the text of a word without its quotes, and without the backslashes of its escapes."""
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

    def text_of(self, word: ShellWord) -> Text | None:
        """Return the text of a word, or ``None`` if a shell puts something else in the place of a part of it."""
        parts = _QUOTED.finditer(self._text.data, word.start, word.end)
        expanded = b"".join(part["double"] or b"" if part.lastgroup else part[0] for part in parts)
        return None if is_filled_in(expanded) else self._unquoted(word.start, word.end)

    def document(self, line_end: int) -> tuple[Text | None, int]:
        """Return the here-document behind the line that ends at an offset, and where it ends.

        It is ``None`` if there is none, if its end is missing, or if a shell puts something else into it.
        """
        data = self._text.data
        if self._here is None:
            return None, line_end
        end = re.compile(rb"(?m)^[ \t]*%b[ \t\r]*$" % re.escape(self._here["word"])).search(data, line_end)
        if end is None:
            return None, line_end
        body = self._text.slice(min(line_end + 1, end.start()), end.start())
        is_plain = self._here["quote"] is not None or not is_filled_in(body.data)
        return body if is_plain else None, end.end()
