"""Test that the time to read a text grows with its length, whatever the text repeats.

The limits of time and memory are those of the fixture ``check``.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from isogloss.validator.exchange import Exchange, Skipped

Check = Callable[..., list[Exchange | Skipped]]

SIZE = 100_000
PAYLOAD = b'\n{"choices": []}\n"object": "chat.completion"\n'
BEGINNINGS = (
    b"", b"{", b"[", b'"', b"data: ", b'{"choices":["', b'{"messages": "', b"---\n", b"- ", b"responses:\n- ", b"# ",
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"<a>", b"a,b\n",
    b"```json\n", b"2026-01-01T00:00:00Z INFO ", b"> POST /v1/chat/completions HTTP/1.1\n",
    b"chat/completions choices: ", b"------- begin request body -------\n", b'<items burpVersion="1">',
    b"1 a 1\nPOST /v1/chat/completions HTTP/1.1\r\n\r\n", b'<?xml version="1.0"?>\n<a b=\'"choices":\'>',
    b"* a\n> POST /v1/chat/completions HTTP/1.1\n>\n* Request body:\n", b"[TestA - 1]\n",
    b"INSERT INTO a VALUES (1, '{\"choices\": 1}',", b"COPY a (choices) FROM stdin;\n",
    b'a a-1 >> "POST /chat/completions HTTP/1.1[\\r][\\n]"\n', b'<- "POST /chat/completions HTTP/1.1\\r\\n\\r\\n"\n',
)  # fmt: skip
PARTS = (
    b" ", b"\t", b"\n", b"\r\n", b"\r", b"a", b"1", b"x=1 ", b"a: b\n", b"- a\n", b"# a\r\n", b"//", b"/* */", b"...",
    b'"', b"'", b"`", b"```\n", b"~~~\n", b"\\", b'\\"', b"\\n", b"\\u0000", b"{", b"}", b"[", b"]", b"(", b"<a>", b"|",
    b"---\n", b"===\n", b"{{", b'{"a":1}\n', b"{'a': 1}\n", b'"a",', b"'a',", b"1,", b'"choices":[', b'{"a":',
    b'{"id": "\n', b'[{"a":', b"data: {}\n\n", b"data: ", b": a\n\n", b"event: a\n", b"[DONE]", b"$ ", b"> ", b"< ",
    b"%20", b"&lt;", b"A=B;", b"HTTP/1.1 200 OK\r\n", b"POST /v1/chat/completions HTTP/1.1\r\n",
    b"Content-Type: application/json\r\n",
    b"chat/completions ", b"request: ", b"messages:\n", b"curl -X POST ", b"2026-01-01T00:00:00Z INFO ", b"[x] ",
    b"sk-", b"Bearer ", b"eyJ", b"\x1b[0m", b"\x00", b"\xff", b"\xe2\x80\x8b", b"exports[`a`] = `",
    b"<request>", b"<![CDATA[", b"]]>", "\n🐵🙈🙉\n".encode(), b"1 a 1\n", b"COPY a (b) FROM stdin;\n", b"('a', E'",
    b'a a-1 << "a[\\n]"\n', b'a a-1 >> "a"\n', b'-> "HTTP/1.1 100\\r\\n"\n', b" [a-1, a] READ: 1B\n",
    b"|00000000| 61 61 ", b"</a>", b"<a/>", b"<!--", b"&quot;", b"* Request body:\n", b"* a\n", b"*\n", b"** a\n",
    b"{\\x22", b"\\x5Cx22", b":url: a\n", b"[TestA - 1]\n", b"' HTTP/1.1",
    b"),", b"INSERT INTO a VALUES (1);\n", b"CREATE TABLE a (b text,\n",
)  # fmt: skip
NAMES = ("capture", "page.md", "output.txt", "app.log")
"""What is read of a text depends on its name, too."""
ENDS = (b"", b"x", b"\n", b'"}', b"}]", PAYLOAD)


@example(beginning=b'{"\n', parts=[b" "], end=PAYLOAD, name=NAMES[0])
@example(beginning=b"{", parts=[b"a: b\n", b"{"], end=PAYLOAD, name=NAMES[0])
@example(beginning=b"```\n", parts=[b'{"id": "\n'], end=PAYLOAD, name="page.md")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    beginning=st.sampled_from(BEGINNINGS),
    parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=3),
    end=st.sampled_from(ENDS),
    name=st.sampled_from(NAMES),
)
def test_a_text_that_repeats_something_is_read_in_time(
    beginning: bytes, parts: list[bytes], end: bytes, name: str, check: Check
) -> None:
    unit = b"".join(parts)
    check(beginning + unit * (SIZE // len(unit)) + end, name)


@pytest.mark.parametrize("remark", ["# a license\r\n", "// a license\r\n"])
def test_remarks_before_a_text_are_read_in_time(remark: str, check: Check) -> None:
    check(remark.encode() * 100 + PAYLOAD)


def test_messages_in_xml_that_do_not_end_are_read_in_time(check: Check) -> None:
    check(b'<items burpVersion="1">' + b"<request><![CDATA[" * (2 * SIZE // 18))


def test_text_behind_quotation_marks_in_a_table_is_read_in_time(check: Check) -> None:
    check(b'a,b\n{"choices": 1},' + b'"' * 20_000 + b"x")
