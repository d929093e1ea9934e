"""Test pages of HTML: their elements `pre` are read like the blocks of Markdown, also those in Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from payloads import COMPLETION, EVENTS, REQUEST, with_finish_reason
from reading import all_exchanges, findings_of_exchange, last_reason, place_in, place_of, read_all, values_of

from isogloss.validator.exchange import Stream

_ANSWER = json.dumps(with_finish_reason("bored") | {"id": "chatcmpl-<é & ü>"}, indent=2, ensure_ascii=False)


def _colored(code: str) -> str:
    return re.sub(r"&quot;\w+&quot;|[{}]", r'<span class="token string">\g<0></span>', escape(code))


def _as_numbers(code: str) -> str:
    return (
        escape(code).replace("&quot;", "&#34;").replace("&amp;", "&#x26;").replace("\n", "<br>\n").replace("<br>", "")
    )


_PAGES = {
    "as it is": "<pre>%s</pre>",
    "Marked": '<pre><code class="language-json">%s</code></pre>',
    "Sphinx": '<div class="highlight-json notranslate"><div class="highlight"><pre><span></span>%s\n</pre></div></div>',
    "Hugo": "<pre tabindex=0><code class=language-json data-lang=json>%s\n</code></pre>",
    "GitHub": '<div class="highlight highlight-source-json"><PRE class="x">%s</PRE ></div>',
}


@pytest.mark.parametrize("write", [escape, _colored, _as_numbers])
@pytest.mark.parametrize("tool", _PAGES)
@pytest.mark.parametrize("name", ["page.html", "page.HTM", "page.md"])
def test_a_block_is_read_without_its_tags_and_with_its_places(
    write: Callable[[str], str], tool: str, name: str
) -> None:
    page = (
        "<h1>Chat</h1>\n<pre class='lineno'>1\n2</pre>\n<p>It answers:</p>\n"
        + _PAGES[tool] % write(_ANSWER)
        + "\n<p>So.\n"
    )
    (found,) = all_exchanges(page, name)
    assert values_of(found) == (None, json.loads(_ANSWER))
    (finding,) = (one for one in findings_of_exchange(found) if one.rule == "unknown-value")
    quote = re.search(r'(?:"|&quot;|&#34;)bored', page)
    assert quote is not None
    assert place_of(finding) == place_in(page, quote[0])


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_events_in_a_block_are_a_stream_and_lines_may_be_broken_by_tags(end: str) -> None:
    events = escape(EVENTS.rstrip() + end)
    for block in (f"<pre>{events}</pre>", "<pre>" + events.replace("\n", "<br />") + "</pre>"):
        (found,) = all_exchanges(f"<p>{block}</p>", "page.html")
        assert isinstance(found.response, Stream)
        assert not [one for one in findings_of_exchange(found) if "event" in one.rule or "sse" in one.rule]


def test_an_answer_below_a_command_is_read_and_programs_are_not() -> None:
    answer = escape(json.dumps(COMPLETION))
    (found,) = all_exchanges(f"<pre><code>$ curl -s h\n{answer}\n</code></pre>", "page.html")
    assert values_of(found) == (None, COMPLETION)
    for page in (
        f'<pre><code class="language-python">print(1)\n{answer}\n</code></pre>',
        f"<p>{answer}</p>", f"<pre>{answer}", f"<prefix>{answer}</prefix>",
        f"<pre>ask({escape(json.dumps(REQUEST))})</pre>",
    ):  # fmt: skip
        assert last_reason(read_all(page, "page.html")) == "a page without a block of JSON or of events"


def test_a_block_that_is_marked_as_json_and_is_none_is_skipped_with_a_reason() -> None:
    assert "not JSON" in last_reason(read_all('<pre><code class="language-json">{broken</code></pre>', "page.html"))


def test_a_very_large_page_is_not_read() -> None:
    assert "1 MiB" in last_reason(read_all("<pre>\n" * 200_000, "page.html"))


def test_a_page_that_isogloss_wrote_is_a_report_and_its_examples_are_no_traffic() -> None:
    pages = sorted((Path(__file__).parents[2] / "cli/golden").glob("*.html"))
    assert pages
    for page in pages:
        assert last_reason(read_all(page.read_text("utf-8"), "page.html")) == "not Chat Completions: report of isogloss"
