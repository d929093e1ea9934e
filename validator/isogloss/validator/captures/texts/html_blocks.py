"""Find the blocks of code in pages of HTML, and in what pages of Markdown hold of it: the elements ``pre``.

Tools that make pages wrap each word of a block in tags, to color it, and write quotation marks as ``&quot;``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from isogloss.validator.captures.capture import made_of, substituted
from isogloss.validator.captures.limits import TooLarge
from isogloss.validator.captures.texts.blocks import Block, block_of
from isogloss.validator.text import Text

__all__ = ["blocks_of_html"]

_LARGEST = 1 << 20
"""How many bytes a page may have."""
_OPENED = re.compile(rb"(?i)<pre(?:\s[^<>]{0,1000})?>")
_CLOSED = re.compile(rb"(?i)</pre\s*>")
_LANGUAGE = re.compile(rb"(?i)(?:language|lang|highlight|source)(?:-|=[\"']?)(?:source-)?([a-z][\w+.]{0,40})(?![\w-])")
_ELEMENTS_AROUND = 200
"""How many bytes before a block may hold the element around it that names its language."""
_NOT_AS_IT_IS = re.compile(rb"(?i)(?P<tag></?[a-z][^<>]{0,1000}>)|&(?:[a-z]{2,8}|#\d{1,7}|#x[0-9a-f]{1,6});")
_LINE_BREAK = re.compile(rb"(?i)<br\b")


def blocks_of_html(text: Text) -> Iterator[Block]:
    """Yield each block. Raises :class:`TooLarge`."""
    if len(text.data) > _LARGEST:
        raise TooLarge("a page of more than 1 MiB")
    end = 0
    while opened := _OPENED.search(text.data, end):
        closed = _CLOSED.search(text.data, opened.end())
        if closed is None:
            return
        if text.data.find(b"{", opened.end(), closed.start()) < 0:
            end = closed.end()
            continue
        code = text.slice(opened.end(), closed.start())
        around = text.data[max(end, opened.start() - _ELEMENTS_AROUND) : opened.end()]
        inner = re.match(rb"\s*<code[^<>]*>", code.data)
        languages = _LANGUAGE.findall(around + (inner[0] if inner else b""))
        content = made_of(code, (one for one in substituted(code.data, _NOT_AS_IT_IS, _shown) if one[1]))
        yield Block((languages[-1].decode() if languages else "").lower(), block_of(content, [(0, len(content.data))]))
        end = closed.end()


def _shown(found: re.Match[bytes]) -> bytes:
    """Return what a browser shows for a tag or for the name of a character."""
    if found["tag"] is None:
        return unescape(found[0].decode()).encode("utf-8", "replace")
    return b"\n" if _LINE_BREAK.match(found[0]) else b""
