"""Captures that want to crash, hang or fill: each ends in findings or in a reason, in little time and memory."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import resource
import struct
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import brotli
import pytest
from backports import zstd

from isogloss.validator import engines
from isogloss.validator.captures import Capture, UnknownFormat, read, source
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.judge import Judge

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


@pytest.fixture
def check() -> Check:
    """Read and judge everything, in seconds and within some memory."""
    judge = Judge(engines.load())

    def check(data: bytes) -> list[Exchange | Skipped]:
        begin, before = time.process_time(), _peak()
        found = list(read(Capture(io.BytesIO(data), "capture")))
        for one in found:
            if isinstance(one, Exchange):
                judge.judge(one)
        assert time.process_time() - begin < 5
        assert _peak() - before < 300
        return found

    return check


def _peak() -> int:
    """The most memory that this process ever held, in MB; Linux counts in kB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits of what things unpack to, small enough to be reached fast."""
    monkeypatch.setattr(source, "_RATIO_FROM", 1 << 20)
    monkeypatch.setattr(source, "_MOST_UNPACKED", 1 << 22)


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
    assert "unpacks to more than" in _reason(check(compress(b'{"a":"' + b" " * (50 << 20))))


@pytest.mark.usefixtures("small_limits")
def test_bombs_in_bombs_share_one_budget(check: Check) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for number in range(8):
            archive.writestr(f"{number}.gz", gzip.compress(b'{"a": "' + b" " * (900 << 10), 1))
    reasons = {one.reason for one in check(out.getvalue()) if isinstance(one, Skipped)}
    assert any(reason.startswith("unpacks to more than") for reason in reasons), reasons


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(
    ("name", "compress"), [("br", brotli.compress), ("gzip", gzip.compress), ("zstd", zstd.compress)]
)
def test_a_body_that_is_a_bomb_is_one_part_that_is_not_read(
    name: str, compress: Callable[[bytes], bytes], check: Check, har_of: Callable[[list[tuple[bytes, str]]], bytes]
) -> None:
    found = check(har_of([(compress(b" " * (50 << 20)), name), (b'{"error": {"message": "x"}}', "identity")]))
    assert [type(one) for one in found] == [Skipped, Exchange]
    assert "unpacks to more than" in found[0].reason  # type: ignore[union-attr]


def test_damaged_compression_is_said(check: Check, har_of: Callable[[list[tuple[bytes, str]]], bytes]) -> None:
    data = bytearray(gzip.compress(b'{"error": {"message": "x"}}' * 50))
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
    assert check(b'{"log": {"entries": [1], "entries": []}, "log": 1, "log": {"entries": 3}}') == []
    assert check(b"interactions: 1\ninteractions: []\n") == []


def test_names_of_archive_members_name_and_nothing_else(check: Check) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in ("../../up.json", "/etc/passwd.json", "a\nb.json"):
            info = tarfile.TarInfo(name)
            info.size = 2
            archive.addfile(info, io.BytesIO(b"{}"))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        fifo = tarfile.TarInfo("fifo")
        fifo.type = tarfile.FIFOTYPE
        archive.addfile(fifo)
    found = check(out.getvalue())
    assert [one.file for one in found] == [
        "capture!/../../up.json", "capture!//etc/passwd.json", "capture!/a\nb.json", "capture!/link", "capture!/fifo"
    ]  # fmt: skip
    assert all(isinstance(one, Skipped) for one in found)


def test_a_sparse_member_is_not_expanded(check: Check) -> None:
    header = bytearray(tarfile.TarInfo("sparse").tobuf(tarfile.GNU_FORMAT))
    header[156:157] = b"S"
    header[386:410] = b"%011o\0" % 0 + b"%011o\0" % 0
    header[483:495] = b"%011o\0" % (1 << 32)
    header[148:156] = b"%06o\0 " % (sum(header[:148]) + 8 * 32 + sum(header[156:512]))
    found = check(bytes(header) + bytes(1024))
    assert [one.reason for one in found if isinstance(one, Skipped)] == [
        "in the archive, neither a file nor a directory"
    ]


def test_a_tar_header_of_any_size_is_refused(check: Check) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 1 << 30
    assert check(info.tobuf(tarfile.USTAR_FORMAT) + b"\0" * (40 << 20))


@pytest.mark.parametrize("wrap", [gzip.compress, lambda data: _zipped("inner", data)], ids=["gzip", "zip"])
def test_archives_in_each_other_have_an_end(wrap: Callable[[bytes], bytes], check: Check) -> None:
    """Which bounds a quine too, an archive that unpacks to itself."""
    data = b'{"error": {"message": "x"}}'
    for _ in range(12):
        data = wrap(data)
    assert "in each other" in _reason(check(data))


def test_damaged_and_locked_archives_are_said(check: Check) -> None:
    sound = _zipped("one.json", b'{"error": {"message": "x"}}' * 99)
    assert "a damaged archive" in _reason(check(sound[:-30]))
    damaged = bytearray(sound)
    damaged[45] ^= 255
    assert "a damaged archive" in _reason(check(bytes(damaged)))
    locked = bytearray(sound)
    locked[6] |= 1
    locked[sound.index(b"PK\x01\x02") + 8] |= 1
    assert "password" in _reason(check(bytes(locked)))
    assert "a 7z file" in _reason(check(b"7z\xbc\xaf\x27\x1c"))


def _by_method(method: int, packed: bytes, plain: bytes, *, flags: int = 0, name: bytes = b"one.json") -> bytes:
    """A zip of one member, packed in a way that zipfile may not know."""
    said = struct.pack("<4HL2L2H", flags, method, 0, 33, zlib.crc32(plain), len(packed), len(plain), len(name), 0)
    local = b"PK\x03\x04" + struct.pack("<H", 63) + said + name
    entry = b"PK\x01\x02" + struct.pack("<2H", 63, 63) + said + struct.pack("<3H2L", 0, 0, 0, 0, 0) + name
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(entry), len(local) + len(packed), 0)
    return local + packed + entry + end


def _lzma_member(plain: bytes, dictionary: int = 1 << 20) -> bytes:
    alone = lzma.compress(plain, lzma.FORMAT_ALONE, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 20}])
    return b"\x09\x04\x05\0" + alone[:1] + struct.pack("<L", dictionary) + alone[13:]


PLAIN = b'{"error": {"message": "x"}}' + b" " * 5000
_PACKED = {
    "bzip2": (12, bz2.compress, 0),
    "lzma": (14, _lzma_member, 2),
    "zstd": (93, zstd.compress, 0),
    "xz": (95, lzma.compress, 0),
}


@pytest.mark.parametrize("method", _PACKED)
def test_members_of_every_method_that_can_be_unpacked_are_read(method: str, check: Check) -> None:
    number, pack, flags = _PACKED[method]
    (found,) = check(_by_method(number, pack(PLAIN), PLAIN, flags=flags))
    assert isinstance(found, Exchange)
    assert found.response is not None
    assert found.response.body.text.data == PLAIN


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_that_zipfile_packed_are_read(method: int, check: Check) -> None:
    (found,) = check(_zipped("one.json", PLAIN, method))
    assert isinstance(found, Exchange)


@pytest.mark.parametrize("method", _PACKED)
def test_members_that_are_damaged_or_cut_off_are_said(method: str, check: Check) -> None:
    number, pack, flags = _PACKED[method]
    packed = bytearray(pack(PLAIN))
    assert "damaged" in _reason(check(_by_method(number, bytes(packed[: len(packed) // 2]), PLAIN, flags=flags)))
    assert "damaged" in _reason(check(_by_method(number, bytes(packed), PLAIN[:-1] + b"}", flags=flags)))
    packed[len(packed) // 2] ^= 255
    assert "damaged" in _reason(check(_by_method(number, bytes(packed), PLAIN, flags=flags)))


@pytest.mark.parametrize(("method", "name"), [(9, "deflate64"), (98, "ppmd"), (77, "method 77")])
def test_members_of_other_methods_are_named(method: int, name: str, check: Check) -> None:
    reason = _reason(check(_by_method(method, b"x", b"x")))
    assert reason == f"in the archive, compressed with {name}, which is not read"


def test_a_dictionary_that_claims_all_memory_is_refused(check: Check) -> None:
    claims = _lzma_member(PLAIN, dictionary=(1 << 32) - 1)
    assert "more than 129 MiB to unpack" in _reason(check(_by_method(14, claims, PLAIN, flags=2)))
    # an xz file whose header says so, with the checksum of that header set right
    data = bytearray(lzma.compress(PLAIN, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}]))
    size = (data[12] + 1) * 4
    data[12 + size - 8 : 12 + size - 4] = data[12 + size - 8 : 12 + size - 4].replace(b"\x10", b"\x28")
    data[16] = 0x28
    data[12 + size - 4 : 12 + size] = struct.pack("<L", zlib.crc32(data[12 : 12 + size - 4]))
    assert "more than 129 MiB to unpack" in _reason(check(bytes(data)))


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress], ids=["bzip2", "xz"])
def test_files_of_bzip2_and_xz_have_the_same_limits(compress: Callable[[bytes], bytes], check: Check) -> None:
    bomb = b'{"a": "' + b" " * (50 << 20)
    assert "unpacks to more than" in _reason(check(compress(bomb)))
    number = 12 if compress is bz2.compress else 95
    assert "unpacks to more than" in _reason(check(_by_method(number, compress(bomb), bomb)))


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress], ids=["bzip2", "xz"])
def test_files_of_bzip2_and_xz_are_read_through_all_their_parts(
    compress: Callable[[bytes], bytes], check: Check
) -> None:
    line = b'{"error": {"message": "x"}}\n'
    found = check(compress(line) + compress(line))
    assert [type(one) for one in found] == [Exchange, Exchange]
    damaged = bytearray(compress(line * 50))
    damaged[len(damaged) // 2] ^= 255
    assert "damaged" in _reason(check(bytes(damaged)))


def test_a_zip_directory_of_any_size_is_refused(check: Check) -> None:
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\x01\x02", *([0] * 18))
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(entry) * 250_000, 4, 0)
    assert "more than 100,000 files" in _reason(check(b"PK\x03\x04" + entry * 250_000 + end))
    long = entry[:28] + b"\xff\xff" + entry[30:] + b"x" * 65535
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(long) * 1500, 4, 0)
    assert "more than 100,000 files" in _reason(check(b"PK\x03\x04" + long * 1500 + end))


def test_a_zip_is_of_any_size_as_a_file_and_small_enough_as_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("large.jsonl", (b'{"error": {"message": "' + b"x" * 1000 + b'"}}\n') * 3000)
    monkeypatch.setattr("isogloss.validator.captures.archives.LARGEST_DOCUMENT", 1 << 20)
    with path.open("rb") as stream:
        assert len([one for one in read(Capture(stream, "file")) if isinstance(one, Exchange)]) == 3000

    class Pipe:
        def __init__(self, data: bytes) -> None:
            self.read = io.BytesIO(data).read

    assert "larger than 1 MiB" in _reason(list(read(Capture(Pipe(path.read_bytes()), "pipe"))))


class _Endless:
    """A stream without end and, but for the first, without line ends."""

    def __init__(self, first: bytes) -> None:
        self._first = first

    def read(self, size: int) -> bytes:
        block, self._first = (self._first or b"x" * size)[:size], b""
        return block


@pytest.mark.parametrize(
    "first", [b'{"a": 1}\n{"b": "', b'{"a": "', b"data: x", b"interactions:\n- ", b"HTTP/1.1 200 OK\n"]
)
def test_a_document_or_line_without_end_is_too_large(first: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGEST_DOCUMENT", 1 << 22)
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
    body = packer.compress(b'{"error": {"message": "x"}}') + packer.flush()
    (found,) = check(har_of([(body, "deflate")]))
    assert isinstance(found, Exchange)
    assert found.response is not None
    assert found.response.body.text.data == b'{"error": {"message": "x"}}'
