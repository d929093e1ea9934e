"""Tests of Jupyter notebooks: what a cell printed is read, what it holds as a program is not."""

from __future__ import annotations

import json
import pprint
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import COMPLETION, REQUEST, as_events, chunk
from reading import exchange_in, read_all

from isogloss.validator.exchange import Exchange, NotJson, Payload, Skipped, Stream

CHUNKS = [chunk({"role": "assistant", "content": "Hi"}, None), chunk({}, "stop")]
EVENTS = as_events(*CHUNKS) + "data: [DONE]\n"


def _notebook(*outputs: Any, source: str = "ask()") -> dict[str, Any]:
    cells = [
        {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": [source], "outputs": [output]}
        for output in outputs
    ]
    markdown = {"cell_type": "markdown", "metadata": {}, "source": [json.dumps(COMPLETION)]}
    return {"cells": [markdown, *cells], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def _printed(text: str | list[str]) -> dict[str, Any]:
    return {"name": "stdout", "output_type": "stream", "text": text}


def _read(notebook: dict[str, Any], **how: Any) -> list[Exchange | Skipped]:
    return read_all(json.dumps(notebook, **how), "book.ipynb")


@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize(
    ("text", "count"),
    [
        (json.dumps(COMPLETION), 1),
        (json.dumps(COMPLETION, indent=2) + "\n", 1),
        (f"Status: 200\n{json.dumps(COMPLETION, indent=4)}\ndone in 3 s\n", 1),
        (f"first: {json.dumps(COMPLETION)}\nsecond: {json.dumps(COMPLETION, indent=1)}\n", 2),
        (f"{json.dumps(COMPLETION)}\n{json.dumps(COMPLETION)}\n", 2),
        (f"HTTP/1.1 200 OK\ncontent-type: application/json\n\n{json.dumps(COMPLETION)}", 1),
    ],
)
def test_what_a_cell_printed_is_read(text: str, count: int, split: bool) -> None:
    found = _read(_notebook(_printed(text.splitlines(keepends=True) if split else text)))
    assert [type(one) for one in found] == [Exchange] * count
    for number, one in enumerate(found):
        assert isinstance(one, Exchange)
        assert isinstance(one.response, Payload)
        assert (one.number, one.dumped, one.response.value) == (number, True, COMPLETION)


def test_lines_of_a_stream_are_read_as_python_prints_bytes() -> None:
    (found,) = _read(_notebook(_printed([f"{line.encode()!r}\n" for line in EVENTS.splitlines()])))
    assert isinstance(found, Exchange)
    assert isinstance(found.response, Stream)
    assert found.response.values == [*CHUNKS, NotJson.DONE]


def test_events_and_values_of_json_are_read() -> None:
    value = {"output_type": "display_data", "metadata": {}, "data": {"application/json": COMPLETION}}
    plain = {"output_type": "execute_result", "metadata": {}, "data": {"text/plain": [json.dumps(REQUEST)]}}
    events, completion, request = _read(_notebook(_printed(EVENTS.splitlines(keepends=True)), value, plain))
    assert isinstance(events, Exchange)
    assert isinstance(events.response, Stream)
    assert events.response.values[:2] == CHUNKS
    assert isinstance(completion, Exchange)
    assert isinstance(completion.response, Payload)
    assert completion.response.value == COMPLETION
    assert isinstance(request, Exchange)
    assert request.request is not None


@given(st.sampled_from([None, 1]), st.booleans(), st.sampled_from(["", "n: 1\n", "日本\n\n"]))
def test_findings_are_placed_in_the_line_of_the_output(indent: int | None, split: bool, before: str) -> None:
    text = f"{before}{json.dumps(COMPLETION, indent=2)}\n"
    notebook = _notebook(_printed(text.splitlines(keepends=True) if split else text))
    written = json.dumps(notebook, indent=indent, ensure_ascii=False)
    found = exchange_in(written, "book.ipynb")
    assert isinstance(found.response, Payload)
    inner = found.response.text
    place = inner.place(inner.data.index(b'"choices"'))
    assert written.split("\n")[place.line - 1][place.column - 1 :].startswith('\\"choices\\"')


def test_programs_pages_and_other_outputs_are_not_read() -> None:
    for output in (
        _printed("Hello\n"),
        _printed(f"payload = {json.dumps(REQUEST, indent=2)}\n"),
        _printed(json.dumps(COMPLETION)[:-1]),
        {"output_type": "error", "ename": "E", "evalue": "x", "traceback": [json.dumps(COMPLETION)]},
        {"output_type": "display_data", "data": {"image/png": "aaaa"}},
        {"text": 5},
        "no output",
    ):
        (found,) = _read(_notebook(output, source=f"x = {json.dumps(COMPLETION)}"))
        assert isinstance(found, Skipped)
        assert found.reason == "a notebook without JSON or events of Chat Completions in its outputs"


@pytest.mark.parametrize(
    "lines", [repr(COMPLETION), f"answer: {COMPLETION}\n", pprint.pformat(COMPLETION).splitlines(keepends=True)]
)
def test_a_dict_that_python_printed_is_read(lines: object) -> None:
    (found,) = _read(_notebook(_printed("Hello\n"), _printed(lines)))
    assert isinstance(found, Exchange)
    assert isinstance(found.response, Payload)
    assert found.response.value == COMPLETION
    assert found.dumped


@pytest.mark.parametrize("line", ["answer = %s", "mock.return_value = Answer(%s)", "ask(body=%s)"])
def test_a_dict_in_a_program_that_was_printed_is_not_read(line: str) -> None:
    for value in (COMPLETION, pprint.pformat(COMPLETION)):
        (found,) = _read(_notebook(_printed(f"{line % value}\n")))
        assert isinstance(found, Skipped)


def test_what_old_versions_of_the_openai_package_printed_is_read() -> None:
    printed = f"<OpenAIObject chat.completion id=chatcmpl-Fake1 at 0x7f1> JSON: {json.dumps(COMPLETION, indent=2)}\n"
    (found,) = _read(_notebook(_printed(printed.splitlines(keepends=True))))
    assert isinstance(found, Exchange)
    assert isinstance(found.response, Payload)
    assert found.response.value == COMPLETION


def test_objects_that_python_printed_are_skipped_with_advice() -> None:
    (found,) = _read(_notebook(_printed("ChatCompletion(id='chatcmpl-Fake1', choices=[], created=1)")))
    assert isinstance(found, Skipped)
    assert "model_dump_json()" in found.reason


@pytest.mark.parametrize("first", ["cells", "metadata", "nbformat", "nbformat_minor"])
def test_a_notebook_may_begin_with_any_of_its_properties(first: str) -> None:
    printed = {"output_type": "stream", "name": "stdout", "text": [json.dumps(COMPLETION) + "\n"]}
    cells = [{"cell_type": "code", "metadata": {}, "source": [], "outputs": [printed]}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (found,) = read_all({first: notebook[first]} | notebook)
    assert isinstance(found, Exchange)
    assert found.dumped


def test_a_notebook_may_have_its_cells_far_behind_its_beginning() -> None:
    printed = {"output_type": "stream", "name": "stdout", "text": [json.dumps(COMPLETION) + "\n"]}
    cells = [{"cell_type": "code", "metadata": {}, "source": [], "outputs": [printed]}]
    (found,) = read_all({"nbformat": 4, "metadata": {"note": "x" * 5000}, "cells": cells})
    assert isinstance(found, Exchange)
    assert found.dumped
