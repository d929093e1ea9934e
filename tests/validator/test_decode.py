"""Test decoding several texts together."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from isogloss.validator.decode import decode, decode_all, looks_like_sse, stream
from isogloss.validator.exchange import NotJson
from isogloss.validator.text import Text

KEY = "sk-FakeFakeFakeFake0123"
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("a:\\/\u00e9<", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)
texts = st.one_of(
    st.builds(lambda value, ascii_: json.dumps(value, ensure_ascii=ascii_).encode(), values, st.booleans()),
    st.sampled_from([
        b"[DONE]", b'{"a":1,"a":2}', b'{"a":{"b":":","b":1}}', b'{"a":1', b"NaN", b"\xff", b'"%b"' % KEY.encode(),
        b'"s\\u006b-%b"' % KEY[3:].encode(), b'{"\\u0061":1,"a":2}', b'"\\/"',
    ]),
)  # fmt: skip


@given(st.lists(texts, max_size=6))
@example([b'{"a":1}', b'{"a":1,"a":2}', b'{"b":":"}'])
@example([b'{"a":1}', b"[DONE]", b'{"a":1,"a":2}'])
def test_texts_decoded_together_give_the_same_as_each_by_itself(drawn_texts: list[bytes]) -> None:
    values, sound = decode_all(drawn_texts)
    assert repr(list(zip(values, sound, strict=True))) == repr([tuple(decode(text)) for text in drawn_texts])


def test_key_written_with_escapes_is_masked_among_other_texts() -> None:
    hidden = b'{"a":"s\\u006b-%b"}' % KEY[3:].encode()
    assert KEY[3:] not in repr(decode_all([b'{"a":1}', hidden, b'{"b":2}']))


def test_data_lines_that_are_whole_chunks_are_events_of_their_own_and_other_values_are_not() -> None:
    body = stream(Text(b'data: {"a":1}\ndata: [DONE]\n\ndata: 1\ndata: 2\n\n'))
    assert body.values == [{"a": 1}, NotJson.DONE, NotJson.FAULTY]
    assert body.framing is not None
    assert body.framing.unseparated == [1]


@pytest.mark.parametrize("text", [b"id: 7\nname: x\n", b":root { color: red }\n", b"event: party\nretry: no\n\n"])
def test_what_begins_like_an_event_and_has_no_line_of_data_is_no_event_stream(text: bytes) -> None:
    assert not looks_like_sse(text)
    assert looks_like_sse(text + b"data: {}\n\n")
