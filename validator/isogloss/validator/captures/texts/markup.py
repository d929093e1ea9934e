"""Find the blocks of code in pages of reStructuredText and AsciiDoc."""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.limits import TooLarge
from isogloss.validator.captures.texts.blocks import OUTSIDE, Block, block_of
from isogloss.validator.text import Text

__all__ = ["ASCIIDOC", "blocks_of_markup"]

ASCIIDOC = (".adoc", ".asciidoc")
"""The endings of names of pages of AsciiDoc."""

_LARGEST = 1 << 18
"""How many bytes a page may have: its lines take many times as much memory."""
_LINE = re.compile(rb"(?P<blanks>[ \t]*)(?P<content>[^\n]*)(?:\n|\Z)")
_DIRECTIVE = re.compile(rb"\.\. (?:code|code-block|code-tab|sourcecode)::[ \t]*([^\s]*)")
_OPTION = re.compile(rb":[\w-]{1,40}:(?:[ \t\r]|\Z)")
_DELIMITER = re.compile(rb"(?:-{4,100}|\.{4,100}|`{3,100})\Z")
_ATTRIBUTES = re.compile(rb"\[[^],]{0,40},[ \t]*([\w.+-]{1,40})")
_TITLE = re.compile(rb"\.[^. ]")


def blocks_of_markup(text: Text, *, is_asciidoc: bool) -> Iterator[Block]:
    """Yield each block of code, and then what stands outside of blocks. Raises :class:`TooLarge`."""
    if len(text.data) > _LARGEST:
        raise TooLarge("a page of more than 256 KiB")
    lines = [match for match in _LINE.finditer(text.data) if match.end() > match.start()]
    inside = [False] * len(lines)
    for language, first, end in (_asciidoc_blocks if is_asciidoc else _rst_blocks)(lines):
        inside[first:end] = [True] * (end - first)
        contents = [line for line in lines[first:end] if line["content"].strip()]
        indentation = 0 if is_asciidoc else min((len(line["blanks"]) for line in contents), default=0)
        spans = [(min(line.start() + indentation, line.start("content")), line.end()) for line in lines[first:end]]
        if contents:
            yield Block(language.decode("utf-8", "replace").lower(), block_of(text, spans))
    outside = [line.span() for line, is_inside in zip(lines, inside, strict=True) if not is_inside]
    yield Block(OUTSIDE, block_of(text, outside))


def _rst_blocks(lines: list[re.Match[bytes]]) -> Iterator[tuple[bytes, int, int]]:
    """Yield the language of each block, and the numbers of its first line and of the line behind it.

    A block is indented more than the line above it: a directive, or one that ends with two colons.
    """
    number = 0
    while number < len(lines):
        content = lines[number]["content"].rstrip()
        width = len(lines[number]["blanks"])
        directive = _DIRECTIVE.match(content)
        number += 1
        if directive is None and not (content.endswith(b"::") and not content.startswith(b"..")):
            continue
        while directive is not None and number < len(lines) and _OPTION.match(lines[number]["content"]):
            number += 1
        first = number
        while number < len(lines):
            line = lines[number]
            if line["content"].strip() and len(line["blanks"]) <= width:
                break
            number += 1
        yield directive[1] if directive else b"", first, number


def _asciidoc_blocks(lines: list[re.Match[bytes]]) -> Iterator[tuple[bytes, int, int]]:
    """Yield the language and the numbers of each block, which stands between lines of dashes, dots or backticks."""
    number, language = 0, b""
    while number < len(lines):
        content = lines[number]["content"].rstrip()
        number += 1
        if attributes := _ATTRIBUTES.match(content):
            language = attributes[1]
        elif _DELIMITER.match(content):
            first = number
            while number < len(lines) and lines[number]["content"].rstrip() != content:
                number += 1
            yield language, first, number
            number, language = number + 1, b""
        elif not _TITLE.match(content):
            language = b""
