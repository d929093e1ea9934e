"""Test that a key which a stream sends in pieces is masked in each piece, wherever clients join texts of pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest

from isogloss.validator import engines
from isogloss.validator.decode import stream
from isogloss.validator.exchange import Exchange
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
    "behind an escape": [{"content": PIECES[0] + SECRET[:16]}, {"content": SECRET[16:] + PIECES[-1]}],
    "reasoning": [{"reasoning_content": piece} for piece in PIECES],
    "refusal": [{"refusal": piece} for piece in PIECES],
    "arguments": [_call(0, arguments=piece) for piece in PIECES],
    "two calls at once": [delta for piece in PIECES for delta in (_call(0, arguments=piece), _call(1, arguments="{}"))],
    "unknown": [{"thoughts": {"parts": [{"text": piece}]}} for piece in PIECES],
    "another between": [delta for piece in PIECES for delta in ({"content": piece}, {"reasoning": "hm"}, {})],
}


def _joined_strings(values: list[object]) -> str:
    """Return all strings of the deltas, joined in their order."""
    return "".join(text for value in values for text in _strings(value["choices"][0]["delta"]))  # type: ignore[index]


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in _strings(item)]


def _shows_part_of_key(text: str) -> bool:
    return any(piece in text for piece in ("Zq8", "4xR7", "pK1s"))


@pytest.mark.parametrize("deltas", DELTAS.values(), ids=DELTAS)
def test_a_key_in_pieces_is_masked_in_values_and_in_text(deltas: list[Any]) -> None:
    body = _sse(deltas)
    masked = split_secrets.mask_event_stream(body, mask)
    assert len(masked) == len(body)
    for values in (stream(Text(masked)).values, split_secrets.mask_stream(stream(Text(body))).values):
        assert len(_joined_strings(values)) == len(_joined_strings(stream(Text(body)).values))
        assert not _shows_part_of_key(_joined_strings(values))
        assert "my key:\n" in _joined_strings(values)
        assert ", as you know é" in _joined_strings(values)
    assert split_secrets.mask_event_stream(masked, mask) == masked


@pytest.mark.parametrize("separators", [(",", ":"), (" , ", " : ")], ids=["close", "spaced"])
def test_bytes_of_tokens_are_masked_like_the_tokens(separators: tuple[str, str]) -> None:
    tokens = [{"token": piece, "bytes": list(piece.encode()), "top_logprobs": []} for piece in PIECES]
    body = b"".join(
        b"data: "
        + json.dumps({"choices": [{"logprobs": {"content": [token]}}]}, separators=separators).encode()
        + b"\n\n"
        for token in tokens
    )
    masked = split_secrets.mask_event_stream(body, mask)
    assert len(masked) == len(body)
    for values in (stream(Text(masked)).values, split_secrets.mask_stream(stream(Text(body))).values):
        masked_tokens = [value["choices"][0]["logprobs"]["content"][0] for value in values]  # type: ignore[index]
        assert [bytes(token["bytes"]).decode() for token in masked_tokens] == [
            token["token"] for token in masked_tokens
        ]
        assert "".join(token["token"] for token in masked_tokens) == mask("".join(PIECES).encode()).decode()
    assert split_secrets.mask_event_stream(masked, mask) == masked


def test_property_bytes_that_holds_no_bytes_is_not_changed() -> None:
    body = _sse([{"bytes": numbers} for numbers in ([300], [-1], ["a"], [1.5], [None], [[]])])
    assert split_secrets.mask_event_stream(body, mask) == body


def test_numbers_that_are_no_bytes_are_not_masked() -> None:
    body = _sse([{"token_ids": list(f"x {SECRET}".encode())}])
    assert split_secrets.mask_event_stream(body, mask) == body


def test_masking_does_not_change_the_given_stream() -> None:
    original = stream(Text(_sse(DELTAS["content"])))
    before = json.dumps(original.values)
    assert split_secrets.mask_stream(original) is not original
    assert json.dumps(original.values) == before


def test_stream_without_keys_is_not_changed() -> None:
    body = _sse([{"content": "task-force-of-"}, {"content": "many-people-and-more"}])
    assert split_secrets.mask_event_stream(body, mask) == body
    original = stream(Text(body))
    assert split_secrets.mask_stream(original) is original


def test_texts_of_two_calls_are_not_joined() -> None:
    body = _sse([_call(0, arguments="sk-"), _call(1, arguments="a-word-of-many-letters")])
    assert split_secrets.mask_event_stream(body, mask) == body


def test_key_that_is_written_with_escapes_is_masked() -> None:
    escaped = "".join(f"\\u{ord(character):04x}" for character in SECRET)
    body = _sse([{"content": "MARK"}, {"content": "é😀 after"}]).replace(b"MARK", escaped.encode())
    masked = split_secrets.mask_event_stream(body, mask)
    assert len(masked) == len(body)
    (first, second) = (json.loads(line[6:]) for line in masked.decode().splitlines() if line)
    assert set(first["choices"][0]["delta"]["content"][3:]) == {"*"}
    assert second["choices"][0]["delta"]["content"] == "é😀 after"


def test_keys_in_events_of_several_lines_or_cut_off_are_masked() -> None:
    body = (
        b'data: {"choices": [{"index": 0,\ndata: "delta": {"content": "sk-proj-Zq8LmN"}}]}\n\n'
        b"data: nonsense\n\ndata: [DONE]\n\n"
        b'data: {"choices": [{"index": 0, "delta": {"content": "4xR7vT2wY6pK1s"'
    )
    masked = split_secrets.mask_event_stream(body, mask)
    assert len(masked) == len(body)
    assert not _shows_part_of_key(masked.decode())
    assert masked.count(b"*") == len(SECRET) - 3


def test_key_whose_beginning_was_masked_before_is_masked_to_its_end() -> None:
    body = mask(_sse([{"content": SECRET}, {"content": "9tail-of-it, done"}]))
    masked = split_secrets.mask_event_stream(body, mask)
    assert b"9tail" not in masked
    assert b", done" in masked


def test_key_in_the_tokens_of_one_chunk_is_masked() -> None:
    logprobs = {"content": [{"token": piece, "logprob": -1.0} for piece in PIECES]}
    chunk = {"choices": [{"index": 0, "delta": {}, "logprobs": logprobs}]}
    body = f"data: {json.dumps(chunk)}\n\n".encode()
    assert not _shows_part_of_key(split_secrets.mask_event_stream(body, mask).decode())


@pytest.mark.parametrize(
    "body", [b"", b"data: 1\n\n", b'data: {"choices": 1}\n\n', b'data: {"choices": [1, {"delta": 2}]}\n\n']
)
def test_streams_without_deltas_are_not_changed(body: bytes) -> None:
    assert split_secrets.mask_event_stream(body, mask) == body
    original = stream(Text(body))
    assert split_secrets.mask_stream(original) is original


def test_findings_that_show_values_show_no_piece_of_a_key() -> None:
    for deltas in (
        [{"thoughts": piece} for piece in PIECES],
        *([{"thoughts": [delta]} for delta in DELTAS[name]] for name in ("arguments", "content")),
    ):
        text = Text(_sse(deltas))
        exchange = Exchange(file="f", number=0, text=text, response=stream(text))
        findings = Judge(engines.load(), show_values=True).judge(exchange).findings
        assert any(finding.value for finding in findings)
        assert not _shows_part_of_key(repr(findings))


@pytest.mark.parametrize("name", ["id", "note", "choices"])
def test_key_in_pieces_is_masked_in_every_string_of_a_chunk(name: str) -> None:
    chunks: list[Any] = [
        {"id": "c", "model": "m", "note": None, "choices": [{"index": 0, "delta": {}}]} | {name: piece}
        if name != "choices"
        else {"choices": [{"index": 0, "text": piece}]}
        for piece in PIECES
    ]
    body = b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks)
    masked = split_secrets.mask_event_stream(body, mask)
    assert len(masked) == len(body)
    assert not _shows_part_of_key(masked.decode())
    assert not _shows_part_of_key(repr(split_secrets.mask_stream(stream(Text(body))).values))


def test_value_that_chunks_repeat_is_not_joined() -> None:
    chunks = [{"id": "", "model": "m"}, *[{"id": "sk-abcd", "model": "gsk_abcdefghij"}] * 9]
    body = b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks)
    assert split_secrets.mask_event_stream(body, mask) == body


def test_key_in_the_tokens_of_a_completion_is_masked() -> None:
    tokens = [{"token": piece, "logprob": -1.0} for piece in PIECES]
    body = json.dumps({"choices": [{"index": 0, "logprobs": {"content": tokens}}]}, indent=1).encode()
    masked = split_secrets.mask_document(body, mask)
    assert len(masked) == len(body)
    assert not _shows_part_of_key(masked.decode())
    assert json.loads(masked)["choices"][0]["logprobs"]["content"][0]["token"] == PIECES[0]


@pytest.mark.parametrize("data", ['"sk-pr"', "[1]", "null", '["sk-proj-Zq8LmN"]'])
def test_events_that_are_no_objects_are_not_changed(data: str) -> None:
    body = f"data: {data}\n\n".encode() * 3
    assert split_secrets.mask_event_stream(body, mask) == body
    split_secrets.mask_stream(stream(Text(body)))


def test_choices_without_an_index_are_texts_of_their_own_by_their_position() -> None:
    chunks = [{"choices": [{"delta": {"content": one}}, {"delta": {"content": "hm"}}]} for one in PIECES]
    body = b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks)
    values = split_secrets.mask_stream(stream(Text(body))).values
    text = "".join(value["choices"][0]["delta"]["content"] for value in values)  # type: ignore[index]
    assert "sk-" in text
    assert not _shows_part_of_key(text)
