"""Find the lines of a text behind which no answer belongs to a command before them.

They are prompts of other commands, requests and answers that are not read, and headings, unless a heading is about an
answer.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

__all__ = ["METER", "Barrier", "barriers"]

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
_OF_REQUEST = frozenset({
    "request", "requests", "input", "请求", "请求示例", "请求参数", "リクエスト", "요청",
})  # fmt: skip
_BESIDE = frozenset({
    "example", "sample", "expected", "actual", "successful", "success", "typical", "api", "server", "the", "json",
    "non", "streaming", "streamed", "body", "ok",
})  # fmt: skip
"""The words of a heading that is about an answer, or a request, alone: one of its own, and no others than these."""
_PROMPT = (
    rb"[^\"'`={}<\r\n]{0,100}(?:[$%]|\xe2\x9d\xaf|\xe2\x9e\x9c)[ \t]+\S"
    rb"|[ \t]*[^\s\"'`={}<#>][^\"'`={}<\r\n#>]{0,100}[#>][ \t]+\S"
)
"""A prompt of a shell, and a command. A ``#`` by itself begins a comment, and a ``>`` a quotation."""
METER = rb"\s*|[^\n]*--:--[^\n]*|\s*% Total[^\n]*|\s{5,}Dload[^\n]*"
"""Blank lines, and what ``curl`` prints of how much has come."""


class Barrier(Struct, frozen=True):
    """A line behind which no answer belongs to a command before it.

    ``is_of_request`` says that it is a heading of a request: the URL above it is that of the request below it.
    """

    first_line: int
    last_line: int
    is_of_request: bool


def barriers(lines: Sequence[bytes], taken: Container[int]) -> Iterator[Barrier]:
    """Yield the barriers among the lines of a text. ``taken`` holds the numbers of lines with commands and answers."""
    fence = b""
    for number, (above, line) in enumerate(pairwise([b"", *lines]), 1):
        bare = line.strip(b" \t>")
        if bare.startswith((b"```", b"~~~")) and (not fence or bare.startswith(fence)):
            fence = b"" if fence else bare[:3]
            continue
        if number in taken:
            continue
        words = None if fence else _heading(line, b"" if number - 1 in taken else above)
        if (
            re.search(_TRAFFIC, line)
            or (re.match(_PROMPT, line) and not re.fullmatch(METER, line))
            or (words is not None and not _are_about(words, _OF_ANSWER))
        ):
            yield Barrier(number, number, words is not None and _are_about(words, _OF_REQUEST))


def _heading(line: bytes, above: bytes) -> set[str] | None:
    """Return the words of the heading that a line outside of blocks is, or ends, or ``None`` for any other line."""
    heading = re.match(_HEADING, line)
    if heading is not None:
        words = heading["words"] or heading["tag"] or b""
    elif above.strip() and not above.startswith(_BEFORE_BLOCK) and re.match(_UNDERLINE, line):
        words = above
    else:
        return None
    return set(re.findall(r"[^\W\d_]+", words.decode("utf-8", "replace").lower()))


def _are_about(words: set[str], subject: frozenset[str]) -> bool:
    """Return whether the words of a heading are about a subject alone."""
    return bool(words & subject) and words <= subject | _BESIDE
