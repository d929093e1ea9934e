"""Read XML that holds HTTP pairs, or requests beside their answers, as ``structures/search.py`` finds them in JSON.

Sessions of Charles are such files: a ``transaction`` has a ``request`` and a ``response``, each with its ``body``
(tests/vnext/test_decode_formats.py of heizaheiza/Charles-mcp). In results of JMeter, an ``httpSample`` has the body of
the request as ``queryString`` and that of the answer as ``responseData`` (``HTTPResultConverter`` in
src/protocol/http/org/apache/jmeter/protocol/http/util of apache/jmeter; both read 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "xml"
WORDS = (b"<?xml",)

_PAYLOAD = rb'(?:"|&quot;|&\#34;)(?:choices|messages)(?:"|&quot;|&\#34;)\s*:|eyJ'
_DECLARATION = rb"(?:\xef\xbb\xbf)?\s*<\?xml\b"


def recognise(capture: Capture) -> int:
    """Recognise XML with its declaration that has a property of a payload, perhaps in Base64."""
    return 40 if re.match(_DECLARATION, capture.head) and re.search(_PAYLOAD, capture.head) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges, or a :class:`Skipped` if there are none."""
    from isogloss.validator.captures.structures import search
    from isogloss.validator.captures.unrecognised import why_unrecognised
    from isogloss.validator.captures.xml_as_json import xml_as_json

    found = search.exchanges_within(capture, 0, Document(xml_as_json(capture.text)).root, may_be_pair=True)
    first = next(found, None)
    if first is None:
        yield Skipped(file=capture.name, why=why_unrecognised(capture))
    else:
        yield from chain([first], found)
