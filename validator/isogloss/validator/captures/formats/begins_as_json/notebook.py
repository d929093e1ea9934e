"""Read a Jupyter notebook (nbformat 4): the outputs of its cells, each like a block of a page.

The format of notebooks is described at https://nbformat.readthedocs.io/en/latest/format_description.html, read 2026-11:
a cell of code has ``outputs``, and an output has what was printed in ``text``, or a value by its MIME types in
``data``. Text may be split into lines. The source of a cell is a program, and is not read. A program printed the
answers, so rules about the bytes that were sent are not applied.
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Node, only_document
from isogloss.validator.captures.traffic import NOTHING_PRINTED
from isogloss.validator.exchange import Exchange, Skipped, as_dumped
from isogloss.validator.text import Text

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "notebook"
WORDS = (b'"cell_type"', b'"nbformat"')
_FIRST = (b"cells", b"metadata", b"nbformat", b"nbformat_minor")


def recognise(capture: Capture) -> int:
    """Recognise an object that begins as notebooks do."""
    return 75 if capture.first_property[0] in _FIRST else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges in the outputs, in order. Other outputs are not reported."""
    document = only_document(capture)
    number = 0
    for cell in document.root.get("cells").items():
        for output in cell.get("outputs").items():
            for found in _exchanges_of_output(capture, number, output):
                if isinstance(found, Exchange):
                    yield as_dumped(found)
                    number += 1
    damage = document.damage(capture.name)
    yield from damage
    if not damage and not number:
        yield Skipped(file=capture.name, why=NOTHING_PRINTED)


def _exchanges_of_output(capture: Capture, number: int, output: Node) -> Iterator[Exchange | Skipped]:
    from isogloss.validator.captures.structures.values import exchanges
    from isogloss.validator.captures.texts.blocks import exchanges_of_block, exchanges_of_printed

    data = output.get("data")
    if (value := data.get("application/json")).value is not None:
        yield from exchanges(capture, number, value, capture.kind)
        return
    text = _text(output.get("text")) or _text(data.get("text/plain"))
    if text is None:
        return
    found = list(exchanges_of_block(capture, number, text, may_be_faulty=False))
    if not any(isinstance(one, Exchange) for one in found):
        found = list(exchanges_of_printed(capture, number, text))
    yield from found


def _text(node: Node) -> Text | None:
    """Return the text of an output, which may be split into lines, or ``None`` if there is none."""
    from isogloss.validator.captures.texts.blocks import block_of

    text = node.joined() if isinstance(node.value, list) else node.text()
    return block_of(text, [(0, len(text.data))]) if text is not None and text.data else None
