"""Find the lines of a page that name a request by its method and URL: ``POST https://api.example.com/v1/models``.

Such a line may be a heading, or stand in a block by itself or above headers. It says which API sent an error below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from isogloss.validator.captures.texts.commands import Command, host_and_path_of
from isogloss.validator.captures.traffic import is_chat_path, why_other_path
from isogloss.validator.text import Text

__all__ = ["request_lines_in"]

_MOST = 500
"""How many lines are looked at in a text."""
_METHODS = (b"GET", b"POST", b"PUT", b"PATCH", b"DELETE")
_LINE = rb"""(?mx)
    ^ [ \t]*+ (?P<quoted> (?:>[ \t]?)*+ )
    (?: \#{1,6}[ ]++ [^`(\n]{0,80} [`(]                                          # words of a heading
      | (?:[#*+-]{1,6}[ ]++)?+ (?:\d{1,2}(?:\.\d{1,2}){0,3}[.)]?[ ]++)?+          # a heading or an item, and its number
        (?: [*_]{0,3} (?:Endpoint|Request|Route|URL) [*_]{0,3} : [*_]{0,3} [ ]*+ )?+ [`*_]{0,3} )
    (?P<method>GET|POST|PUT|PATCH|DELETE) [`*_]{0,3} [ ]++
    [`*_<]{0,3} (?P<url> (?:https?://|/|(?:\$\w+|\{\{?[^{}\s]*\}?\}|<\w+>)/) [^\s`*<>"')]*+ ) [`*_>)]{0,3}
    (?P<version> [ ]HTTP/\d(?:\.\d)? )?+ (?: [ ]++ [(:\x80-\xff-][^\n"{}]{0,100}+ )?+ [ \t\r]*+ $
"""
"""Behind the URL may stand what it is for, in brackets or behind a dash or a colon."""


def request_lines_in(text: Text) -> list[Command]:
    """Return the lines that name a request, of this API or of another one, as commands whose body is not known.

    Lines below each other are a list of endpoints: what follows is about none of them.
    """
    found = list(_lines(text))
    numbers = {one.first_line for one in found}
    return [one for one in found if numbers.isdisjoint(one.first_line + step for step in (-2, -1, 1, 2))]


def _lines(text: Text) -> Iterator[Command]:
    if not any(method in text.data for method in _METHODS):
        return
    for found in islice(re.finditer(_LINE, text.data), _MOST):
        if found["quoted"] and found["version"]:
            continue  # a line that ``curl -v`` prints
        host, path = host_and_path_of(found["url"].decode("utf-8", "replace"))
        method = found["method"].decode()
        if is_chat_path(path) or (path is not None and why_other_path(path, method) is not None):
            line = text.place(found.start("method")).line
            yield Command(line, line, host, path, method, None, form="line")
