"""Read bodies from files of their own. An HTTP Archive or a mapping of WireMock beside these files names them.

Playwright writes such files with ``content: 'attach'``: the ``content`` and ``postData`` of an entry have a ``_file``
in place of a text. Its name is the SHA-1 of the body. The file is in the same folder as the archive, or in the same
zip. Source: ``harTracer.ts`` and ``harBackend.ts`` of microsoft/playwright, 2026-01. The bodies of a trace are named in
the same way (recorded with playwright-core 1.65, 2026-11).

WireMock keeps mappings in a folder ``mappings``, or below it. The files that they name are in ``__files``, a folder
beside ``mappings``. Source: https://wiremock.org/docs/stubbing/, read 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.limits import LARGEST_DOCUMENT, TooLarge, Unreadable
from isogloss.validator.quoting import quote_name as quoted

__all__ = [
    "ARCHIVES", "MAPPINGS", "RESOURCES", "SERVED", "attachment_names", "is_body_name", "read_attachment",
    "read_served_file",
]  # fmt: skip

_PATH = r"(?a)(?:[A-Za-z0-9_-][\w.-]{0,100}/){0,3}[A-Za-z0-9_-][\w.-]{0,200}"
_BODY = r"(?a)[0-9a-f]{40}\.\w{1,20}"
_NAMED = rb"""["']?(_file|_sha1|bodyFileName)["']?\s{0,9}:\s{0,9}["']?([\w./-]{1,300})(?=["'\s,}])"""
_LONGEST = 400
"""How many bytes of a block are searched again with the next one: a name may go on there."""
RESOURCES = "resources/"
"""The folder beside a trace of Playwright with bodies. Older versions leave it out, and name bodies in ``_sha1``."""
ARCHIVES = (".har", ".network")
"""How the names of files end that name bodies: HTTP Archives, and the network of a trace of Playwright."""
SERVED = "__files"
"""The folder with the files that WireMock serves."""
MAPPINGS = "mappings"
"""The folder beside ``__files``, with the mappings that name the files."""
_DEEPEST = 5
"""Folders above a mapping in which ``__files`` is searched for: mappings may be in folders of their own."""


def read_attachment(capture: Capture, name: str, folders: Iterable[str] = ("",)) -> bytes:
    """Return the body in the file of that name, in the first of some folders that has it.

    The folders are paths with a slash behind them. Raises :class:`Unreadable` if there is no file that may be read.
    """
    beside = capture.beside
    if not re.fullmatch(_PATH, name):
        raise Unreadable(f"a body in the file {quoted(name)}, which is not looked for: not a name within the folder")
    if beside is None:
        raise Unreadable(
            f"a body in the file {quoted(name)}, which cannot be read from here: check the folder or the zip"
        )
    data = next((found for folder in folders if (found := beside(folder + name)) is not None), None)
    if data is None:
        raise Unreadable(f"a body in the file {quoted(name)}, which is not there")
    if len(data) > LARGEST_DOCUMENT:
        raise TooLarge(f"a body in the file {quoted(name)}, which is larger than {LARGEST_DOCUMENT >> 20} MiB")
    if not capture.depth:  # in an archive, its bytes are counted as they are unpacked
        capture.budget.read += len(data)
    capture.budget.spend(len(data), 0, 0)  # many entries may share one file
    return data


def read_served_file(capture: Capture, name: str) -> bytes:
    """Return the body in a file that a mapping of WireMock serves. Raises :class:`Unreadable` if there is none."""
    return read_attachment(capture, name, [*(f"{'../' * levels}{SERVED}/" for levels in range(_DEEPEST)), ""])


def attachment_names(blocks: Iterable[bytes]) -> set[str]:
    """Return the names of the files that an archive or a mapping refers to, found without decoding it."""
    found: set[str] = set()
    rest = b""
    for block in chain(blocks, [b"\n"]):  # the last name may end with the file
        rest += block
        found.update((RESOURCES if key == b"_sha1" else "") + name.decode() for key, name in re.findall(_NAMED, rest))
        rest = rest[-_LONGEST:]
    return found


def is_body_name(name: str) -> bool:
    """Return whether a file has a name that only bodies have: it is read with its archive, and not by itself."""
    return re.fullmatch(_BODY, name) is not None
