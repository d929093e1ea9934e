"""Captures that want to crash, hang or fill: each ends in findings or in a reason, in little time and memory."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator

import brotli
import pytest
from backports import zstd

from isogloss.validator.captures import Capture, UnknownFormat, read
from isogloss.validator.captures import capture as capture_module
from isogloss.validator.captures.formats import event_stream
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


def _zipped(name: str, data: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr(name, data)
    return out.getvalue()


def _reason(found: list[Exchange | Skipped]) -> str:
    assert found
    assert isinstance(found[-1], Skipped), found
    return found[-1].reason


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("compress", [gzip.compress, zstd.compress])
def test_a_bomb_is_refused_by_its_ratio(compress: Callable[[bytes], bytes], check: Check) -> None:
    assert "unpacks to more than" in _reason(check(compress(b'{"a":"' + b" " * (6 << 20))))


@pytest.mark.usefixtures("small_limits")
def test_bombs_in_bombs_share_one_budget(check: Check) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for number in range(8):
            archive.writestr(f"{number}.gz", gzip.compress(b'{"a": "' + b" " * (900 << 10), 1))
    reasons = {one.reason for one in check(out.getvalue()) if isinstance(one, Skipped)}
    assert any(reason.startswith("unpacks to more than") for reason in reasons), reasons


@pytest.mark.thorough
@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(
    ("name", "compress"), [("br", brotli.compress), ("gzip", gzip.compress), ("zstd", zstd.compress)]
)
def test_a_body_that_is_a_bomb_is_one_part_that_is_not_read(
    name: str, compress: Callable[[bytes], bytes], check: Check, har_of: Callable[[list[tuple[bytes, str]]], bytes]
) -> None:
    found = check(
        har_of([(compress(b" " * (6 << 20)), name), (b'{"error": {"message": "x", "type": "t"}}', "identity")])
    )
    assert [type(one) for one in found] == [Skipped, Exchange]
    assert "unpacks to more than" in found[0].reason  # type: ignore[union-attr]


def test_damaged_compression_is_said(check: Check, har_of: Callable[[list[tuple[bytes, str]]], bytes]) -> None:
    data = bytearray(gzip.compress(b'{"error": {"message": "x", "type": "t"}}' * 50))
    data[20] ^= 255
    assert "damaged gzip data" in _reason(check(har_of([(bytes(data), "gzip")])))
    assert "damaged gzip data" in _reason(check(bytes(data)))


def test_a_body_cut_off_inside_its_compression_is_read_as_far_as_it_goes(
    check: Check, har_of: Callable[[list[tuple[bytes, str]]], bytes]
) -> None:
    stream = b"".join(b'data: {"id":"%d","choices":[]}\n\n' % number for number in range(2000))
    (found,) = check(har_of([(gzip.compress(stream)[:-200], "gzip")]))
    assert isinstance(found, Exchange)
    assert found.response is not None
    assert found.response.body.text.data.startswith(b'data: {"id":"0"')


def test_an_alias_bomb_is_refused(check: Check) -> None:
    lines = ["interactions:", "- a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert "aliases that expand" in _reason(check("\n".join(lines).encode()))


def test_an_alias_of_what_holds_it_is_refused(check: Check) -> None:
    assert "an alias of what is not there yet" in _reason(check(b"interactions: &a\n- request: *a\n"))


def test_aliases_are_read_and_lead_to_where_the_value_is_written(check: Check) -> None:
    found = check(
        b"interactions:\n- request: &q {method: POST, uri: 'http://h/v1/chat/completions', body: '{}'}\n"
        b"  response: {status: {code: 200}, body: {string: '{}'}}\n"
        b"- request: *q\n  response: {status: {code: 200}, body: {string: '{}'}}\n"
    )
    assert [one.path for one in found if isinstance(one, Exchange)] == ["/v1/chat/completions"] * 2


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
def test_nesting_has_an_end(data: bytes, check: Check) -> None:
    assert check(data)


@pytest.mark.parametrize(
    "word",
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
def test_numbers_of_any_size(word: str, check: Check) -> None:
    request = f"{{method: POST, uri: 'http://h/v1/chat/completions', parsed_body: {{seed: {word}}}}}"
    (found,) = check(f"interactions:\n- request: {request}\n".encode())
    assert isinstance(found, Exchange)
    (found,) = check(f'{{"messages": [], "model": "m", "seed": {word}}}'.encode())
    assert isinstance(found, Exchange)


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
def test_odd_characters_are_no_trouble(text: str, check: Check) -> None:
    body = json.dumps('{"error": {"message": "MARK"}}')[1:-1].replace("MARK", text)
    assert check(HAR.replace("%s", body).encode("utf-8", "surrogatepass"))
    assert check(f'{{"error": {{"message": "{text}"}}}}'.encode("utf-8", "surrogatepass"))
    assert check(f'interactions:\n- response: {{body: {{string: "{text}"}}}}\n'.encode("utf-8", "surrogatepass"))


def test_duplicate_keys_are_no_trouble(check: Check) -> None:
    for data in (
        b'{"log": {"entries": [1], "entries": []}, "log": 1, "log": {"entries": 3}}',
        b"interactions: 1\ninteractions: []\n",
    ):
        assert [one.reason for one in check(data) if isinstance(one, Skipped)] == ["nothing is recorded in it"]


class _Endless:
    """A stream without end and, but for the first, without line ends."""

    def __init__(self, first: bytes) -> None:
        self._first = first

    def read(self, size: int) -> bytes:
        block, self._first = (self._first or b"x" * size)[:size], b""
        return block


@pytest.mark.parametrize(
    "first", [b'{"a": 1}\n{"b": "', b'{"a": "', b"data: {", b"interactions:\n- ", b"HTTP/1.1 200 OK\n"]
)
def test_a_document_or_line_without_end_is_too_large(first: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (capture_module, event_stream):
        monkeypatch.setattr(module, "LARGEST_DOCUMENT", 1 << 22)
    found = list(read(Capture(_Endless(first), "endless")))
    assert "4 MiB" in _reason(found)


def test_what_is_not_checked_does_not_fill_the_report(check: Check) -> None:
    found = check(b"[" + b"1," * 20_000 + b"1]")
    assert len(found) == 1001
    assert _reason(found) == "19,001 more parts that are not checked"


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UnknownFormat):
        list(read(Capture(io.BytesIO(b"{}"), "x"), "floppy"))


def test_a_pipe_that_gives_little_at_a_time_is_read_whole() -> None:
    class Trickle:
        def __init__(self, data: bytes) -> None:
            self.data = data

        def read(self, size: int) -> bytes:
            block, self.data = self.data[:7], self.data[7:]
            return block

    (found,) = read(Capture(Trickle(HAR.replace("%s", '{\\"error\\": {}}').encode()), "pipe"))
    assert isinstance(found, Exchange)


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


def test_raw_deflate_is_read_too(check: Check, har_of: Callable[[list[tuple[bytes, str]]], bytes]) -> None:
    packer = zlib.compressobj(wbits=-15)
    body = packer.compress(b'{"error": {"message": "x", "type": "t"}}') + packer.flush()
    (found,) = check(har_of([(body, "deflate")]))
    assert isinstance(found, Exchange)
    assert found.response is not None
    assert found.response.body.text.data == b'{"error": {"message": "x", "type": "t"}}'


@pytest.mark.thorough
@pytest.mark.parametrize(
    "start",
    [b"[" + b"," * 20, b'{"choices":[' + b"1 " * 20, b'["' + b"\x01" * 20, b'["' + b"\xff" * 20, b'["' + b"\xffa" * 20,
     b'{"a"' + b"," * 20, b'["' + b"\\q" * 20],
)  # fmt: skip
def test_ten_megabytes_of_one_fault_take_seconds_and_little_memory(start: bytes, check: Check) -> None:
    """The limits of time and memory are those of `check`; the fault at the end of `start` is what is repeated."""
    check(start[:-20] + start[-20:] * (1 << 19))


@pytest.mark.thorough
@pytest.mark.parametrize("escape", ["\\n", '\\"', "\\\\", "\\u00e9"])
def test_places_in_quoted_yaml_take_memory_by_its_size_and_not_by_its_escapes(escape: str) -> None:
    """A finding at the very end makes all places before it be looked for."""
    body = '{\\"object\\":\\"chat.completion\\",\\"choices\\":[{\\"message\\":{\\"content\\":\\"%s\\"}}],\\"id\\":7}'
    inner = escape.replace("\\", "\\\\").replace('"', '\\"')

    def cassette_of(count: int) -> bytes:
        return (
            "interactions:\n- request: {method: POST, uri: 'http://h/v1/chat/completions'}\n"
            f'  response: {{status: {{code: 200}}, body: {{string: "{body % (inner * count)}"}}}}\n'
        ).encode()

    list(read(Capture(io.BytesIO(cassette_of(1)), "capture")))  # imports what it needs
    cassette = cassette_of(10_000)
    tracemalloc.start()
    (found,) = read(Capture(io.BytesIO(cassette), "capture"))
    assert isinstance(found, Exchange)
    assert found.response is not None
    text = found.response.body.text
    place = text.place(text.data.rindex(b'"id"'))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert cassette.splitlines()[place.line - 1].decode()[place.column - 1 :].startswith('\\"id\\":7')
    assert peak < 40 * len(cassette)


_ENTRY = HAR % json.dumps({"error": {"message": "m", "type": "t", "param": None, "code": None}}).replace('"', '\\"')


@pytest.mark.parametrize("empty", ["{}", "1", '{"request":null}', '{"a":{"b":1}}'])
def test_an_exchange_behind_thousands_of_empty_parts_has_its_number(check: Check, empty: str) -> None:
    """However a part is skipped, it counts: in archives, in lines and in lists."""
    count = 2500
    before, entry, after = _ENTRY.partition(_ENTRY[len('{"log": {"entries": [') : -len("]}}")])
    request = '{"model":"m","messages":[{"role":"user","content":"a"}]}'
    for data in (
        before + f"{empty}," * count + entry + after,
        "{}\n{}\n" + f"{empty}\n" * (count - 2) + request + "\n{}\n",
        f"[{f'{empty},' * count}{request}]",
    ):
        found = check(data.encode())
        (exchange,) = (one for one in found if isinstance(one, Exchange))
        skipped = [one for one in found if isinstance(one, Skipped)]
        assert exchange.number == count
        assert [one.number for one in skipped[:1000]] == list(range(1000))
        assert skipped[1000].reason.endswith("more parts that are not checked")


def test_a_line_that_was_skipped_before_still_ends_a_stream(check: Check) -> None:
    chunk = '{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[]}'
    found = check("\n".join(["{}", "{}", chunk, "{}", chunk, "{}"]).encode())
    assert [type(one) for one in found] == [Skipped, Skipped, Exchange, Skipped, Exchange, Skipped]
    assert [one.number for one in found] == list(range(6))
