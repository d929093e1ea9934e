"""Tests of hostile captures, made to crash isogloss or to use much time or memory.

Each must end in exchanges or in a reason for skipping, within the limits of the fixture ``check``.
"""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial

import brotli
import pytest
from backports import zstd
from call_counts import count_calls
from payloads import COMPLETION, REQUEST
from reading import exchange_in, last_reason, read_all

from isogloss.validator.captures import Capture, UnknownFormat, read
from isogloss.validator.captures import capture as capture_module
from isogloss.validator.captures.formats.begins_otherwise import event_stream
from isogloss.validator.captures.wrapping import compression
from isogloss.validator.exchange import Exchange, Skipped

Check = Callable[[bytes], list[Exchange | Skipped]]

HAR = json.dumps(
    {
        "log": {
            "entries": [
                {
                    "request": {"method": "POST", "url": "https://api.example.com/v1/chat/completions"},
                    "response": {"status": 200, "content": {"mimeType": "application/json", "text": "%s"}},
                }
            ]
        }
    }
)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("compress", [gzip.compress, zstd.compress])
def test_a_compression_bomb_is_refused_by_its_ratio(compress: Callable[[bytes], bytes], check: Check) -> None:
    assert "unpacks to more than" in last_reason(check(compress(b'{"a":"' + b" " * (6 << 20))))


@pytest.mark.usefixtures("small_limits")
def test_compression_bombs_in_an_archive_share_one_limit(check: Check) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for number in range(8):
            archive.writestr(f"{number}.gz", gzip.compress(b'{"a": "' + b" " * (900 << 10), 1))
    reasons = {part.reason for part in check(out.getvalue()) if isinstance(part, Skipped)}
    assert any(reason.startswith("unpacks to more than") for reason in reasons), reasons


def test_a_body_is_unpacked_up_to_the_size_of_the_largest_document(
    check: Check, har_of: Callable[[list[tuple[bytes, str]]], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "LARGEST_DOCUMENT", 3 << 20)
    body = b'{"error": {"message": "%b", "type": "t"}}'
    small, large = check(har_of([(gzip.compress(body % (b"x" * size)), "gzip") for size in (2 << 20, 4 << 20)]))
    assert isinstance(small, Exchange)
    assert isinstance(large, Skipped)
    assert large.reason == "a body unpacks to more than 3 MiB"


@pytest.mark.thorough
@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(
    ("name", "compress"), [("br", brotli.compress), ("gzip", gzip.compress), ("zstd", zstd.compress)]
)
def test_a_compression_bomb_as_body_skips_only_its_exchange(
    name: str, compress: Callable[[bytes], bytes], check: Check, har_of: Callable[[list[tuple[bytes, str]]], bytes]
) -> None:
    parts = check(
        har_of([(compress(b" " * (6 << 20)), name), (b'{"error": {"message": "x", "type": "t"}}', "identity")])
    )
    assert [type(part) for part in parts] == [Skipped, Exchange]
    assert "unpacks to more than" in parts[0].reason  # type: ignore[union-attr]


def test_damaged_compression_is_reported(check: Check, har_of: Callable[[list[tuple[bytes, str]]], bytes]) -> None:
    data = bytearray(gzip.compress(b'{"error": {"message": "x", "type": "t"}}' * 50))
    data[20] ^= 255
    assert "damaged gzip data" in last_reason(check(har_of([(bytes(data), "gzip")])))
    assert "damaged gzip data" in last_reason(check(bytes(data)))


def test_a_cut_off_compressed_body_is_read_up_to_the_cut(
    check: Check, har_of: Callable[[list[tuple[bytes, str]]], bytes]
) -> None:
    stream = b"".join(b'data: {"id":"%d","choices":[]}\n\n' % number for number in range(2000))
    (exchange,) = check(har_of([(gzip.compress(stream)[:-200], "gzip")]))
    assert isinstance(exchange, Exchange)
    assert exchange.response is not None
    assert exchange.response.text.data.startswith(b'data: {"id":"0"')


def test_yaml_aliases_that_expand_too_far_are_refused(check: Check) -> None:
    lines = ["interactions:", "- a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert "aliases that expand" in last_reason(check("\n".join(lines).encode()))


def test_a_yaml_alias_inside_its_own_anchor_is_refused(check: Check) -> None:
    assert "an alias of something that is not defined yet" in last_reason(check(b"interactions: &a\n- request: *a\n"))


def test_a_yaml_alias_is_read_as_the_value_of_its_anchor(check: Check) -> None:
    parts = check(
        b"interactions:\n- request: &q {method: POST, uri: 'http://h/v1/chat/completions', body: '{}'}\n"
        b"  response: {status: {code: 200}, body: {string: '{}'}}\n"
        b"- request: *q\n  response: {status: {code: 200}, body: {string: '{}'}}\n"
    )
    assert [part.path for part in parts if isinstance(part, Exchange)] == ["/v1/chat/completions"] * 2


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"interactions: " + b"[" * 100_000,
        b"interactions:\n" + b"".join(b" " * depth + b"a:\n" for depth in range(5_000)),
        b"interactions: " + b"{? " * 100_000,
        b"interactions:\n" + b"- " * 100_000,
        b'{"log": {"entries": ' + b"[" * 100_000,
        b'{"interactions": [{"request": ' + b'{"a":' * 100_000,
        b"data: " + b"[" * 100_000 + b"\n\n",
    ],
    ids=["array", "object", "flow", "block", "keys", "sequences", "har", "cassette", "event"],
)
def test_deep_nesting_stays_within_the_limits(data: bytes, check: Check) -> None:
    assert check(data)


@pytest.mark.parametrize(
    "number",
    [
        pytest.param("9" * 100_000, id="digits"),
        pytest.param("1:" * 50_000 + "1", id="sexagesimal"),
        pytest.param("0x" + "f" * 50_000, id="hexadecimal"),
        pytest.param("0" * 50_000, id="zeros"),
        pytest.param("_" * 50_000, id="underscores"),
        "1e999999999",
        "-1e-999999999",
        ".inf",
        "1_000",
    ],
)
def test_numbers_of_any_size_are_read(number: str, check: Check) -> None:
    request = f"{{method: POST, uri: 'http://h/v1/chat/completions', parsed_body: {{seed: {number}}}}}"
    (exchange,) = check(f"interactions:\n- request: {request}\n".encode())
    assert isinstance(exchange, Exchange)
    (exchange,) = check(f'{{"messages": [], "model": "m", "seed": {number}}}'.encode())
    assert isinstance(exchange, Exchange)


@pytest.mark.parametrize(
    "text",
    [
        r"\ud800",
        r"\udc00\ud800",
        r"\u0000",
        r"\ud83d\ude00",
        "\x00",
        "\udc80".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
)
def test_surrogates_and_control_characters_do_not_stop_reading(text: str, check: Check) -> None:
    body = json.dumps('{"error": {"message": "MARK"}}')[1:-1].replace("MARK", text)
    assert check(HAR.replace("%s", body).encode("utf-8", "surrogatepass"))
    assert check(f'{{"error": {{"message": "{text}"}}}}'.encode("utf-8", "surrogatepass"))
    assert check(f'interactions:\n- response: {{body: {{string: "{text}"}}}}\n'.encode("utf-8", "surrogatepass"))


def test_duplicate_keys_of_a_capture_do_not_stop_reading(check: Check) -> None:
    for data in (
        b'{"log": {"entries": [1], "entries": []}, "log": 1, "log": {"entries": 3}}',
        b"interactions: 1\ninteractions: []\n",
    ):
        assert [part.reason for part in check(data) if isinstance(part, Skipped)] == ["nothing is recorded in it"]


class _EndlessStream:
    """A stream without end. After the bytes ``first``, it has no line ends."""

    def __init__(self, first: bytes) -> None:
        self._first = first

    def read(self, size: int) -> bytes:
        block, self._first = (self._first or b"x" * size)[:size], b""
        return block


@pytest.mark.parametrize(
    "first", [b'{"a": 1}\n{"b": "', b'{"a": "', b"data: {", b"interactions:\n- ", b"HTTP/1.1 200 OK\n"]
)
def test_an_endless_document_or_line_is_refused(first: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (capture_module, event_stream):
        monkeypatch.setattr(module, "LARGEST_DOCUMENT", 1 << 22)
    parts = list(read(Capture(_EndlessStream(first), "endless")))
    assert "4 MiB" in last_reason(parts)


def test_skipped_parts_beyond_a_thousand_are_reported_as_one(check: Check) -> None:
    parts = check(b"[" + b"1," * 20_000 + b"1]")
    assert len(parts) == 1001
    assert last_reason(parts) == "the reasons for 19,001 more skipped parts are not kept"


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UnknownFormat):
        read_all(b"{}", "x", "floppy")


def test_a_pipe_of_small_blocks_is_read_to_its_end() -> None:
    class SlowPipe:
        def __init__(self, data: bytes) -> None:
            self.data = data

        def read(self, size: int) -> bytes:
            block, self.data = self.data[:7], self.data[7:]
            return block

    (exchange,) = read(Capture(SlowPipe(HAR.replace("%s", '{\\"error\\": {}}').encode()), "pipe"))
    assert isinstance(exchange, Exchange)


@pytest.fixture
def har_of() -> Callable[[list[tuple[bytes, str]]], bytes]:
    import base64

    def har_of(bodies: list[tuple[bytes, str]]) -> bytes:
        def entries() -> Iterator[object]:
            for body, encoding in bodies:
                content = {"encoding": "base64", "text": base64.b64encode(body).decode()}
                headers = [{"name": "Content-Encoding", "value": encoding}]
                yield {
                    "request": {"method": "POST", "url": "https://h/v1/chat/completions"},
                    "response": {"status": 400, "headers": headers, "content": content},
                }

        return json.dumps({"log": {"entries": list(entries())}}).encode()

    return har_of


def test_raw_deflate_is_read(check: Check, har_of: Callable[[list[tuple[bytes, str]]], bytes]) -> None:
    compressor = zlib.compressobj(wbits=-15)
    body = compressor.compress(b'{"error": {"message": "x", "type": "t"}}') + compressor.flush()
    (exchange,) = check(har_of([(body, "deflate")]))
    assert isinstance(exchange, Exchange)
    assert exchange.response is not None
    assert exchange.response.text.data == b'{"error": {"message": "x", "type": "t"}}'


@pytest.mark.slow
@pytest.mark.parametrize(
    "start",
    [b"[" + b"," * 20, b'{"choices":[' + b"1 " * 20, b'["' + b"\x01" * 20, b'["' + b"\xff" * 20, b'["' + b"\xffa" * 20,
     b'{"a"' + b"," * 20, b'["' + b"\\q" * 20],
)  # fmt: skip
def test_ten_megabytes_of_one_fault_stay_within_the_limits(start: bytes, check: Check) -> None:
    """Repeat the fault at the end of ``start``. The limits of time and memory are those of the fixture ``check``."""
    check(start[:-20] + start[-20:] * (1 << 19))


@pytest.mark.thorough
@pytest.mark.parametrize("escape", ["\\n", '\\"', "\\\\", "\\u00e9"])
def test_memory_for_places_in_quoted_yaml_does_not_grow_with_escapes(escape: str) -> None:
    """Find a place at the very end, for which all places before it are searched."""
    body = '{\\"object\\":\\"chat.completion\\",\\"choices\\":[{\\"message\\":{\\"content\\":\\"%s\\"}}],\\"id\\":7}'
    escape_in_yaml = escape.replace("\\", "\\\\").replace('"', '\\"')

    def cassette_with(count: int) -> bytes:
        return (
            "interactions:\n- request: {method: POST, uri: 'http://h/v1/chat/completions'}\n"
            f'  response: {{status: {{code: 200}}, body: {{string: "{body % (escape_in_yaml * count)}"}}}}\n'
        ).encode()

    read_all(cassette_with(1))  # so that the modules it needs are imported
    cassette = cassette_with(10_000)
    tracemalloc.start()
    exchange = exchange_in(cassette)
    assert exchange.response is not None
    text = exchange.response.text
    place = text.place(text.data.rindex(b'"id"'))
    peak_memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert cassette.splitlines()[place.line - 1].decode()[place.column - 1 :].startswith('\\"id\\":7')
    assert peak_memory < 40 * len(cassette)


_HAR_WITH_ERROR = HAR % json.dumps({"error": {"message": "m", "type": "t", "param": None, "code": None}}).replace(
    '"', '\\"'
)


@pytest.mark.parametrize("skipped_part", ["{}", "1", '{"request":null}', '{"a":{"b":1}}'])
def test_an_exchange_after_thousands_of_skipped_parts_has_its_number(check: Check, skipped_part: str) -> None:
    """Check that each skipped part is counted: in HTTP Archives, on lines and in arrays."""
    count = 2500
    before, entry, after = _HAR_WITH_ERROR.partition(_HAR_WITH_ERROR[len('{"log": {"entries": [') : -len("]}}")])
    request = '{"model":"m","messages":[{"role":"user","content":"a"}]}'
    for data in (
        before + f"{skipped_part}," * count + entry + after,
        "{}\n{}\n" + f"{skipped_part}\n" * (count - 2) + request + "\n{}\n",
        f"[{f'{skipped_part},' * count}{request}]",
    ):
        parts = check(data.encode())
        (exchange,) = (part for part in parts if isinstance(part, Exchange))
        skipped = [part for part in parts if isinstance(part, Skipped)]
        assert exchange.number == count
        assert [part.number for part in skipped[:1000]] == list(range(1000))
        assert skipped[1000].reason.endswith(" more skipped parts are not kept")


def test_a_repeated_skipped_line_ends_a_stream_before_another_one(check: Check) -> None:
    first, second = (
        f'{{"id":"{name}","object":"chat.completion.chunk","created":1,"model":"m","choices":[]}}' for name in "cd"
    )
    parts = check("\n".join(["{}", "{}", first, "{}", first, "{}", second, "{}"]).encode())
    assert [type(part) for part in parts] == [Skipped] * 4 + [Exchange, Skipped, Exchange]
    assert [part.number for part in parts] == list(range(7))


MESSAGE = 'HTTP/1.1 200 OK\n\n{"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"message": {}}]}\n'
CURL = "$ curl -v h\n> POST /v1/chat/completions HTTP/1.1\n> Host: h\n>\n< HTTP/1.1 200 OK\n<\n"
CHUNKED_HEAD = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"
TERMINAL = {
    "spaces behind a status": "HTTP/1.1 200 OK" + " " * 60_000 + "\rX\n" + MESSAGE,
    "spaces behind the last line": "HTTP/1.1 200 OK\n\ndata: {}\n\nx" + " " * 200_000 + "\ny",
    "remarks of curl in one line": CURL + "{}" + " x* Closing connection" * 20_000 + "\nz\n",
    "chunks that cover the next message": MESSAGE
    + (CHUNKED_HEAD + f"{len(CHUNKED_HEAD) - 1:x}\n") * 15_000 + CHUNKED_HEAD + "1\nXY\n",
    "lengths that lead into one run of spaces": MESSAGE
    + "".join(f"HTTP/1.1 200 OK\nContent-Length: {left * 48:08}\n\nx\n" for left in range(20_000, 0, -1))
    + " " * 960_000 + "x",
    "lengths that reach to the end": MESSAGE + "HTTP/1.1 200 OK\nContent-Length: 2400000\n\n{x\n" * 20_000,
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("name", TERMINAL)
def test_time_for_messages_grows_with_their_length(name: str, check: Check) -> None:
    check(TERMINAL[name].encode())


def test_time_for_a_name_grows_with_its_length() -> None:
    assert not Capture(io.BytesIO(b""), f"a.log{'-1' * 5_000} !").is_called_like_text
    assert Capture(io.BytesIO(b""), "gateway.log-2026_01.1").is_called_like_text


@pytest.mark.parametrize("answer", [{"content": "```" + "\n" * 20_000 + "x"}, {"model": "a" + "/" * 2_000_000}])
def test_time_for_an_answer_grows_with_its_length(answer: dict[str, str], check: Check) -> None:
    message = {"role": "assistant", "content": answer.get("content", "Ho"), "refusal": None}
    record = {
        "request": {
            "model": "m", "messages": [{"role": "user", "content": "Hi"}],
            "tools": [{"type": "function", "function": {"name": "f"}}],
        },
        "response": {
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": answer.get("model", "m"),
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        },
    }  # fmt: skip
    [exchange] = check(json.dumps(record).encode())
    assert isinstance(exchange, Exchange)


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(lambda name: {name: COMPLETION}, id="in an object"),
        pytest.param(lambda name: {name: {"body": COMPLETION, "status": 200}}, id="around a body"),
        pytest.param(lambda name: {"results": {name: COMPLETION}}, id="in an inner object"),
        pytest.param(lambda name: {"results": [{name: COMPLETION}]}, id="in a list"),
    ],
)
def test_an_answer_may_have_a_text_with_many_dots_as_its_name(
    record: Callable[[str], dict[str, object]], check: Check
) -> None:
    """Each dot may end a name. The number of ways to divide a path by some of its dots doubles with each dot."""
    calls = []
    for dots in (4, 12, 1000):
        data = json.dumps({"request": REQUEST, **record("A word. " * dots)}).encode()
        calls.append(count_calls(partial(check, data)))
        (exchange,) = check(data)
        assert isinstance(exchange, Exchange)
        assert exchange.response is not None
        assert exchange.request is not None
        assert calls[-1] < 3 * calls[0] + 1000
