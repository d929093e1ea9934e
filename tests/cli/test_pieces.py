"""Tests of cutting large files of JSON Lines into pieces, which hold the same as the file and cut no stream in two."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from isogloss.cli.reading import jobs
from isogloss.validator import captures
from isogloss.validator.captures.texts import line_streams
from isogloss.validator.exchange import Exchange, Payload, Stream


def _chunk(chunk_id: str, delta: dict[str, Any], finish_reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return json.dumps({"id": chunk_id, "object": "chat.completion.chunk", "choices": [choice]})


COMPLETION = json.dumps({"id": "c", "object": "chat.completion", "choices": []})
LINES = {
    "begin": _chunk("a", {"role": "assistant"}),
    "more": _chunk("a", {"content": "Hi"}),
    "end": _chunk("a", {}, "stop"),
    "another": _chunk("b", {"role": "assistant"}),
    "done": "[DONE]",
    "cut": '{"id": "a", "choices": [{"delta": {"content": "H',
    "completion": COMPLETION,
    "whole": json.dumps({"id": "a", "object": "chat.completion", "choices": [{"message": {"content": "Hi"}}]}),
    "usage": json.dumps({"id": "u", "choices": [], "created": 1, "model": "m", "usage": {"completion_tokens": 1}}),
    "error": json.dumps({"error": {"message": "overloaded", "type": "server_error", "param": None, "code": None}}),
    "long": json.dumps({"id": "c", "object": "chat.completion", "choices": [], "padding": "x" * 400}),
    "request": json.dumps({"model": "m", "messages": [{"role": "user", "content": "a\u2028b"}]}, ensure_ascii=False),
    "indented": " " * 300 + COMPLETION,
    "doubled": COMPLETION + " " * 300 + COMPLETION,
    "blank": "",
    "note": json.dumps({"level": "info"}),
    "wrapped": json.dumps({"at": 1, "data": json.loads(_chunk("a", {"content": "Ho"}))}),
}


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits: every file is large, pieces are small, short lines are too long, and few stand in a stream."""
    for name, value in {"_PIECE": 150, "_LARGE": 1, "_BLOCK": 64, "_LONGEST_LINE": 300}.items():
        monkeypatch.setattr(jobs, name, value)
    for module in (captures, line_streams):
        monkeypatch.setattr(module, "MOST_BETWEEN_CHUNKS", 2)


def _cut(path: Path) -> list[jobs.Piece]:
    batches = list(jobs.batches([str(path)], None, "jsonl"))
    if batches == [[str(path)]]:  # not cut
        return [jobs.Piece(str(path), 0, path.stat().st_size, 1)]
    assert all(isinstance(batch, jobs.Piece) for batch in batches)
    return [batch for batch in batches if isinstance(batch, jobs.Piece)]


def _read(path: Path, piece: jobs.Piece) -> list[object]:
    """Return what a piece holds: the place and the values of each exchange, and the reason for each skipped part."""
    contents: list[object] = []
    stream = jobs.Range(io.BytesIO(path.read_bytes()), piece.start, piece.end)
    for part in captures.read(captures.Capture(stream, "capture", line=piece.line), "jsonl"):
        if not isinstance(part, Exchange):
            contents.append(part.reason)
            continue
        contents.append(part.text.place(0))
        bodies = (part.request, part.response)
        contents += [body.values if isinstance(body, Stream) else body.value for body in bodies
                  if isinstance(body, Stream | Payload)]  # fmt: skip
    return contents


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(["completion"] + ["begin", "more", "more", "more", "end"] * 3 + ["completion"])
@example(["indented"] * 9)
@example(["completion", "doubled", "completion"] * 3)
@example(["begin", "more", "end", "indented", "completion"] * 3)
@example(["blank"] * 150 + ["indented", "completion"])
@example((["begin"] + ["more", "note", "note"] * 9 + ["end", "note", "note", "note", "note", "note"]) * 2)
@example(["wrapped", "note"] * 9 + ["completion"])
@example((["begin", "more", "more", "error"] + ["completion"] * 3) * 2)
@example((["begin", "more", "end", "usage", "usage"] + ["completion"] * 3) * 2)
@example((["begin", "more", "more", "whole"] + ["completion"] * 3) * 2)
@example((["begin", "more", "more", "request", "more", "end"] + ["completion"] * 3) * 2)
@example(["long", "begin", "more", "long", "long", "completion"])
@example((["begin", "more", "completion", "completion", "more", "end"] + ["completion"] * 5) * 2)
@example((["begin", "another", "completion", "end", "completion", "completion", "more"] + ["completion"] * 5) * 2)
@given(st.lists(st.sampled_from(sorted(LINES)), min_size=1, max_size=40))
def test_pieces_hold_the_same_as_the_file_and_cut_no_stream(
    small_limits: None, tmp_path: Path, kinds: list[str]
) -> None:
    path = tmp_path / "mixed.jsonl"
    data = "".join(LINES[kind] + "\n" for kind in kinds).encode()
    path.write_bytes(data)
    pieces = _cut(path)
    assert [piece.start for piece in pieces] == [0, *(piece.end for piece in pieces[:-1])]
    assert pieces[-1].end == len(data)
    for piece in pieces:
        assert piece.line == data[: piece.start].count(b"\n") + 1
        assert piece.start == 0 or data[piece.start - 1 : piece.start] == b"\n"
    whole = jobs.Piece(str(path), 0, len(data), 1)
    assert [part for piece in pieces for part in _read(path, piece)] == _read(path, whole)


def test_a_file_that_becomes_shorter_while_it_is_cut_has_its_remaining_pieces(
    small_limits: None, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{COMPLETION}\n" * 500, "utf-8")
    batches = jobs.batches([str(path)], None, "jsonl")
    first = next(batches)
    path.write_text(f"{COMPLETION}\n" * 20, "utf-8")
    pieces = [piece for piece in (first, *batches) if isinstance(piece, jobs.Piece)]
    values = [one for piece in pieces for one in _read(path, piece) if isinstance(one, dict)]
    assert values == [json.loads(COMPLETION)] * 20


def test_small_files_beside_a_large_one_are_checked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_LARGE", 1000)
    paths = [str(tmp_path / name) for name in ("a.json", "b.json", "c.jsonl", "d.json")]
    for path in paths:
        Path(path).write_text(f"{COMPLETION}\n" * (500 if path.endswith("l") else 1), "utf-8")
    batches = list(jobs.batches(iter(paths), None, None))
    assert [one for batch in batches for one in ([batch.path] if isinstance(batch, jobs.Piece) else batch)] == paths


def test_a_file_of_nothing_but_chunks_is_not_cut(small_limits: None, tmp_path: Path) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_bytes(f"{COMPLETION}\n".encode() * 50)
    assert list(jobs.batches([str(path)], "chunk", "jsonl")) == [[str(path)]]


def test_a_file_is_cut_into_at_least_16_pieces_unless_they_are_too_small(
    small_limits: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "many.jsonl"
    path.write_bytes(f"{COMPLETION}\n".encode() * 500)
    size = path.stat().st_size
    monkeypatch.setattr(jobs, "_PIECE", size // 4)
    counts = []
    for least_piece in (1, size // 8, size):
        monkeypatch.setattr(jobs, "_LEAST_PIECE", least_piece)
        counts.append(len(_cut(path)))
    assert counts == [16, 8, 4]


def test_the_pieces_of_a_file_of_completions_have_about_the_intended_size(small_limits: None, tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_bytes(f"{COMPLETION}\n".encode() * 50)
    pieces = _cut(path)
    assert len(pieces) > 10
    spoken = COMPLETION.replace("[]", '[{"message": {"content": "delta"}}]')
    path.write_bytes(f"{spoken}\n".encode() * 50)
    assert len(_cut(path)) > 5
    assert all(piece.end - piece.start < 150 + 3 * (len(COMPLETION) + 1) for piece in pieces)
