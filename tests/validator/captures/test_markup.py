"""Test pages of reStructuredText and AsciiDoc: their blocks of code are read like those of Markdown."""

from __future__ import annotations

import json

import pytest
from payloads import COMPLETION, EVENTS, REQUEST, with_finish_reason
from reading import all_exchanges, findings_of_exchange, last_reason, read_all

from isogloss.validator.exchange import Exchange, Payload, Stream

_FAULTY = json.dumps(with_finish_reason("bored"), indent=2)


def _indented(text: str, width: int = 3) -> str:
    return "".join(f"{' ' * width}{line}".rstrip() + "\n" for line in text.splitlines())


_PAGES = {
    "page.rst": (
        "Chat\n====\n\n.. code-block:: json\n   :caption: An answer\n   :linenos:\n\n" + _indented(_FAULTY) + "\n"
        "* In a list\n\n  .. code-tab:: json\n\n" + _indented(_FAULTY, 4) + "\n"
        "A stream::\n\n" + _indented(EVENTS, 2) + "\n"
        ".. code-block:: console\n\n" + _indented("$ curl -s h\n" + json.dumps(json.loads(_FAULTY)), 4) + "\n"
        ".. code-block:: python\n\n    print({})\n\nThe end\n"
    ),
    "page.adoc": (
        "= Chat\n\n[source,json]\n.An answer\n----\n" + _FAULTY + "\n----\n\n"
        "[source, json, linenums]\n....\n" + _FAULTY + "\n....\n\n----\n" + EVENTS + "----\n\n"
        "```\n$ curl -s h\n" + json.dumps(json.loads(_FAULTY)) + "\n```\n\n[source,python]\n----\nprint({})\n----\n"
    ),
}


def _places(found: Exchange) -> list[tuple[int, int]]:
    findings = [one for one in findings_of_exchange(found) if one.rule == "unknown-value"]
    return [(one.source.line, one.source.column) for one in findings]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", _PAGES)
def test_blocks_of_code_are_read_with_their_places(name: str, end: str) -> None:
    page = _PAGES[name]
    found = all_exchanges(page.replace("\n", end), name)
    assert [type(one.response) for one in found] == [Payload, Payload, Stream, Payload]
    expected = [
        (number, line.index('"bored"') + 1) for number, line in enumerate(page.split("\n"), 1) if '"bored"' in line
    ]
    assert [place for one in found for place in _places(one)] == expected
    assert [one.number for one in found] == [0, 1, 2, 3]


def test_a_block_of_asciidoc_ends_with_the_line_that_it_begins_with() -> None:
    json_block = f"[source,json]\n----\n{_FAULTY}\n----\n"
    terminal = f"[source,console]\n....\n$ curl -s h\n----\n{json.dumps(COMPLETION)}\n....\n"
    assert len(all_exchanges(json_block + terminal, "page.adoc")) == 2


@pytest.mark.parametrize(
    ("name", "page"),
    [("page.rst", ".. code-block:: json\n\n   {broken\n"), ("page.adoc", "[source,json]\n----\n{broken\n----\n")],
)
def test_a_block_that_is_marked_as_json_and_is_none_is_skipped_with_a_reason(name: str, page: str) -> None:
    assert "not JSON" in last_reason(read_all(page, name))


@pytest.mark.parametrize("name", _PAGES)
@pytest.mark.parametrize(
    "page",
    [
        "Title\n-----\n\nText\n",
        f".. code-block:: python\n\n   ask({json.dumps(REQUEST)})\n",
        f"[source,python]\n----\nask({json.dumps(REQUEST)})\n----\n",
        f".. note::\n\n   A request is `{json.dumps(REQUEST)}`\n",
        f"----\nSend {json.dumps(REQUEST)} and get {json.dumps(COMPLETION)}\n",
        "::\n",
    ],
)
def test_pages_without_such_blocks_are_skipped(name: str, page: str) -> None:
    assert last_reason(read_all(page, name)) == "a page without a block of JSON or of events"


def test_a_very_large_page_is_not_read() -> None:
    assert "256 KiB" in last_reason(read_all("::\n" * 90_000, "page.rst"))
