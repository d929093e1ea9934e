"""Keys that a stream sends in pieces are masked in each piece, wherever text is put together of pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest

from isogloss.validator import engines
from isogloss.validator.decode import stream
from isogloss.validator.exchange import Exchange, Response
from isogloss.validator.judging.judge import Judge
from isogloss.validator.secrets import mask
from isogloss.validator.streams import split_secrets
from isogloss.validator.text import Text

SECRET = "sk-proj-Zq8LmN4xR7vT2wY6pK1s"
PIECES = ["my key:\n", "s", "k-pr", "oj-Zq8LmN", "4xR7vT2wY6", "pK1s", ", as you know é"]


def _sse(deltas: list[Any], *, ascii: bool = True) -> bytes:
    chunks = [
        {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]} for delta in deltas
    ]
    return b"".join(f"data: {json.dumps(chunk, ensure_ascii=ascii)}\n\n".encode() for chunk in chunks)


def _call(number: int, **function: str) -> dict[str, Any]:
    return {"tool_calls": [{"index": number, "function": function}]}


DELTAS = {
    "content": [{"content": piece} for piece in PIECES],
    "reasoning": [{"reasoning_content": piece} for piece in PIECES],
    "refusal": [{"refusal": piece} for piece in PIECES],
    "arguments": [_call(0, arguments=piece) for piece in PIECES],
    "two calls at once": [one for piece in PIECES for one in (_call(0, arguments=piece), _call(1, arguments="{}"))],
    "unknown": [{"thoughts": {"parts": [{"text": piece}]}} for piece in PIECES],
    "another between": [one for piece in PIECES for one in ({"content": piece}, {"reasoning": "hm"}, {})],
}


def _texts(values: list[object]) -> str:
    """Every string of the deltas, in order, without structure."""
    return "".join(one for value in values for one in _strings(value["choices"][0]["delta"]))  # type: ignore[index]


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [one for item in items for one in _strings(item)]


def _tells(text: str) -> bool:
    return any(piece in text for piece in ("Zq8", "4xR7", "pK1s"))


@pytest.mark.parametrize("deltas", DELTAS.values(), ids=DELTAS)
def test_a_key_in_pieces_is_masked_in_values_and_in_text(deltas: list[Any]) -> None:
    body = _sse(deltas)
    masked = split_secrets.mask_event_stream(body, mask)
    assert len(masked) == len(body)
    for values in (stream(Text(masked)).values, split_secrets.mask_stream(stream(Text(body))).values):
        assert len(_texts(values)) == len(_texts(stream(Text(body)).values))
        assert not _tells(_texts(values))
        assert "my key:\n" in _texts(values)
        assert ", as you know é" in _texts(values)
    assert split_secrets.mask_event_stream(masked, mask) == masked


@pytest.mark.parametrize("separators", [(",", ":"), (" , ", " : ")], ids=["close", "spaced"])
def test_the_numbers_of_a_key_are_masked_like_its_tokens(separators: tuple[str, str]) -> None:
    tokens = [{"token": piece, "bytes": list(piece.encode()), "top_logprobs": []} for piece in PIECES]
    body = b"".join(
        b"data: "
        + json.dumps({"choices": [{"logprobs": {"content": [one]}}]}, separators=separators).encode()
        + b"\n\n"
        for one in tokens
    )
    masked = split_secrets.mask_event_stream(body, mask)
    assert len(masked) == len(body)
    for values in (stream(Text(masked)).values, split_secrets.mask_stream(stream(Text(body))).values):
        said = [value["choices"][0]["logprobs"]["content"][0] for value in values]  # type: ignore[index]
        assert [bytes(one["bytes"]).decode() for one in said] == [one["token"] for one in said]
        assert "".join(one["token"] for one in said) == mask("".join(PIECES).encode()).decode()
    assert split_secrets.mask_event_stream(masked, mask) == masked


def test_bytes_that_are_no_bytes_are_left_alone() -> None:
    body = _sse([{"bytes": numbers} for numbers in ([300], [-1], ["a"], [1.5], [None], [[]])])
    assert split_secrets.mask_event_stream(body, mask) == body


def test_values_that_were_given_stay_as_they_were() -> None:
    given = stream(Text(_sse(DELTAS["content"])))
    before = json.dumps(given.values)
    assert split_secrets.mask_stream(given) is not given
    assert json.dumps(given.values) == before


def test_a_stream_without_keys_is_left_alone() -> None:
    body = _sse([{"content": "task-force-of-"}, {"content": "many-people-and-more"}])
    assert split_secrets.mask_event_stream(body, mask) == body
    given = stream(Text(body))
    assert split_secrets.mask_stream(given) is given


def test_what_one_choice_or_call_says_is_not_put_together_with_another() -> None:
    body = _sse([_call(0, arguments="sk-"), _call(1, arguments="a-word-of-many-letters")])
    assert split_secrets.mask_event_stream(body, mask) == body


def test_escapes_are_overwritten_as_they_are_spelt() -> None:
    escaped = "".join(f"\\u{ord(one):04x}" for one in SECRET)
    body = _sse([{"content": "MARK"}, {"content": "é😀 after"}]).replace(b"MARK", escaped.encode())
    masked = split_secrets.mask_event_stream(body, mask)
    assert len(masked) == len(body)
    (first, second) = (json.loads(line[6:]) for line in masked.decode().splitlines() if line)
    assert set(first["choices"][0]["delta"]["content"][3:]) == {"*"}
    assert second["choices"][0]["delta"]["content"] == "é😀 after"


def test_events_of_several_lines_cut_off_or_broken_are_masked_too() -> None:
    body = (
        b'data: {"choices": [{"index": 0,\ndata: "delta": {"content": "sk-proj-Zq8LmN"}}]}\n\n'
        b"data: nonsense\n\ndata: [DONE]\n\n"
        b'data: {"choices": [{"index": 0, "delta": {"content": "4xR7vT2wY6pK1s"'
    )
    masked = split_secrets.mask_event_stream(body, mask)
    assert len(masked) == len(body)
    assert not _tells(masked.decode())
    assert masked.count(b"*") == len(SECRET) - 3


def test_a_key_of_which_a_part_was_masked_by_itself_is_masked_to_its_end() -> None:
    body = mask(_sse([{"content": SECRET}, {"content": "9tail-of-it, done"}]))
    masked = split_secrets.mask_event_stream(body, mask)
    assert b"9tail" not in masked
    assert b", done" in masked


def test_tokens_are_pieces_too() -> None:
    logprobs = {"content": [{"token": piece, "logprob": -1.0} for piece in PIECES]}
    chunk = {"choices": [{"index": 0, "delta": {}, "logprobs": logprobs}]}
    body = f"data: {json.dumps(chunk)}\n\n".encode()
    assert not _tells(split_secrets.mask_event_stream(body, mask).decode())


@pytest.mark.parametrize(
    "odd", [b"", b"data: 1\n\n", b'data: {"choices": 1}\n\n', b'data: {"choices": [1, {"delta": 2}]}\n\n']
)
def test_odd_streams_are_left_alone(odd: bytes) -> None:
    assert split_secrets.mask_event_stream(odd, mask) == odd
    given = stream(Text(odd))
    assert split_secrets.mask_stream(given) is given


def test_findings_that_quote_values_quote_no_piece_of_a_key() -> None:
    text = Text(_sse([{"thoughts": piece} for piece in PIECES]))
    exchange = Exchange(file="f", number=0, text=text, response=Response(body=stream(text)))
    for one in DELTAS["arguments"], DELTAS["content"]:
        text = Text(_sse([{"thoughts": [delta]} for delta in one]))
        exchange = Exchange(file="f", number=0, text=text, response=Response(body=stream(text)))
        findings = Judge(engines.load(), show_values=True).judge(exchange).findings
        assert any(finding.value for finding in findings)
        assert not _tells(repr(findings))


@pytest.mark.parametrize("at", ["id", "note", "choices"])
def test_a_key_is_found_in_pieces_in_every_string_of_a_chunk(at: str) -> None:
    chunks: list[Any] = [
        {"id": "c", "model": "m", "note": None, "choices": [{"index": 0, "delta": {}}]} | {at: piece}
        if at != "choices"
        else {"choices": [{"index": 0, "text": piece}]}
        for piece in PIECES
    ]
    body = b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks)
    masked = split_secrets.mask_event_stream(body, mask)
    assert len(masked) == len(body)
    assert not _tells(masked.decode())
    assert not _tells(repr(split_secrets.mask_stream(stream(Text(body))).values))


def test_what_all_chunks_say_alike_is_no_text_in_pieces() -> None:
    chunks = [{"id": "", "model": "m"}, *[{"id": "sk-abcd", "model": "gsk_abcdefghij"}] * 9]
    body = b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks)
    assert split_secrets.mask_event_stream(body, mask) == body


def test_a_key_in_the_tokens_of_an_answer_is_masked() -> None:
    tokens = [{"token": piece, "logprob": -1.0} for piece in PIECES]
    body = json.dumps({"choices": [{"index": 0, "logprobs": {"content": tokens}}]}, indent=1).encode()
    masked = split_secrets.mask_document(body, mask)
    assert len(masked) == len(body)
    assert not _tells(masked.decode())
    assert json.loads(masked)["choices"][0]["logprobs"]["content"][0]["token"] == PIECES[0]


@pytest.mark.parametrize("odd", ['"sk-pr"', "[1]", "null", '["sk-proj-Zq8LmN"]'])
def test_events_that_are_no_objects_are_left_alone(odd: str) -> None:
    body = f"data: {odd}\n\n".encode() * 3
    assert split_secrets.mask_event_stream(body, mask) == body
    split_secrets.mask_stream(stream(Text(body)))
