"""Tests of archives and compressed files: which members are read, why others are skipped, and which limits hold."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import brotli
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st
from payloads import COMPLETION
from reading import last_reason

from isogloss.validator.captures import Capture, read
from isogloss.validator.captures.limits import Budget
from isogloss.validator.captures.wrapping import compression
from isogloss.validator.captures.wrapping.compression import Damaged, decompress_body, unpack
from isogloss.validator.exchange import Exchange, Skipped

Check = Callable[[bytes], list[Exchange | Skipped]]


def _zipped(name: str, data: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr(name, data)
    return out.getvalue()


def test_names_of_members_are_reported_and_not_opened(check: Check) -> None:
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
    parts = check(out.getvalue())
    assert [part.file for part in parts] == [
        "capture!/../../up.json", "capture!//etc/passwd.json", "capture!/a\nb.json", "capture!/link", "capture!/fifo"
    ]  # fmt: skip
    assert all(isinstance(part, Skipped) for part in parts)


def test_a_sparse_member_is_not_expanded(check: Check) -> None:
    header = bytearray(tarfile.TarInfo("sparse").tobuf(tarfile.GNU_FORMAT))
    header[156:157] = b"S"
    header[386:410] = b"%011o\0" % 0 + b"%011o\0" % 0
    header[483:495] = b"%011o\0" % (1 << 32)
    header[148:156] = b"%06o\0 " % (sum(header[:148]) + 8 * 32 + sum(header[156:512]))
    parts = check(bytes(header) + bytes(1024))
    assert [part.reason for part in parts if isinstance(part, Skipped)] == [
        "in the archive, neither a file nor a folder"
    ]


@pytest.mark.thorough
def test_a_huge_tar_header_stays_within_the_limits(check: Check) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 1 << 30
    assert check(info.tobuf(tarfile.USTAR_FORMAT) + b"\0" * (20 << 20))


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: _zipped("inner", data)], ids=["gzip", "zip"])
def test_archives_that_are_nested_too_deep_are_refused(pack: Callable[[bytes], bytes], check: Check) -> None:
    """Check the limit that also stops a quine: an archive that unpacks to itself."""
    data = b'{"error": {"message": "x", "type": "t"}}'
    for _ in range(4):
        data = pack(data)
    assert [type(part) for part in check(data)] == [Exchange]
    for _ in range(8):
        data = pack(data)
        assert "nested more than 4 deep" in last_reason(check(data))


def test_damaged_and_locked_archives_are_reported(check: Check) -> None:
    sound = _zipped("one.json", b'{"error": {"message": "x", "type": "t"}}' * 99)
    assert "a damaged archive" in last_reason(check(sound[:-30]))
    damaged = bytearray(sound)
    damaged[45] ^= 255
    assert "a damaged archive" in last_reason(check(bytes(damaged)))
    locked = bytearray(sound)
    locked[6] |= 1
    locked[sound.index(b"PK\x01\x02") + 8] |= 1
    assert last_reason(check(bytes(locked))) == "in the archive, encrypted with a password"
    assert "a 7z file" in last_reason(check(b"7z\xbc\xaf\x27\x1c"))


def _zip_by_method(method: int, compressed: bytes, plain: bytes, *, flags: int = 0, name: bytes = b"one.json") -> bytes:
    """Return a zip with one member, which was compressed by a method that ``zipfile`` may not know."""
    fields = struct.pack("<4HL2L2H", flags, method, 0, 33, zlib.crc32(plain), len(compressed), len(plain), len(name), 0)
    local = b"PK\x03\x04" + struct.pack("<H", 63) + fields + name
    entry = b"PK\x01\x02" + struct.pack("<2H", 63, 63) + fields + struct.pack("<3H2L", 0, 0, 0, 0, 0) + name
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(entry), len(local) + len(compressed), 0)
    return local + compressed + entry + end


def _lzma_member(plain: bytes, dictionary_size: int = 1 << 20) -> bytes:
    lzma_file = lzma.compress(plain, lzma.FORMAT_ALONE, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 20}])
    return b"\x09\x04\x05\0" + lzma_file[:1] + struct.pack("<L", dictionary_size) + lzma_file[13:]


PLAIN = b'{"error": {"message": "x", "type": "t"}}' + b" " * 5000
_METHODS = {
    "bzip2": (12, bz2.compress, 0),
    "lzma": (14, _lzma_member, 2),
    "zstd": (93, zstd.compress, 0),
    "xz": (95, lzma.compress, 0),
}


@pytest.mark.parametrize("method", _METHODS)
def test_members_of_every_known_method_are_read(method: str, check: Check) -> None:
    number, compress, flags = _METHODS[method]
    (exchange,) = check(_zip_by_method(number, compress(PLAIN), PLAIN, flags=flags))
    assert isinstance(exchange, Exchange)
    assert exchange.response is not None
    assert exchange.response.text.data == PLAIN


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_that_zipfile_compressed_are_read(method: int, check: Check) -> None:
    (exchange,) = check(_zipped("one.json", PLAIN, method))
    assert isinstance(exchange, Exchange)


@pytest.mark.parametrize("method", _METHODS)
def test_damaged_and_cut_off_members_are_reported(method: str, check: Check) -> None:
    number, compress, flags = _METHODS[method]
    compressed = bytearray(compress(PLAIN))
    assert "damaged" in last_reason(
        check(_zip_by_method(number, bytes(compressed[: len(compressed) // 2]), PLAIN, flags=flags))
    )
    assert "damaged" in last_reason(check(_zip_by_method(number, bytes(compressed), PLAIN[:-1] + b"}", flags=flags)))
    compressed[len(compressed) // 2] ^= 255
    assert "damaged" in last_reason(check(_zip_by_method(number, bytes(compressed), PLAIN, flags=flags)))


@pytest.mark.parametrize(
    ("name", "compress"),
    [("gzip", gzip.compress), ("bzip2", bz2.compress), ("xz", lzma.compress), ("zstd", zstd.compress)],
)
def test_parts_one_after_another_are_unpacked_wherever_their_bytes_are_divided(
    name: str, compress: Callable[[bytes], bytes]
) -> None:
    data = compress(b"a" * 50) + compress(b"b" * 50)
    for place in range(1, len(data)):
        assert b"".join(unpack([data[:place], data[place:]], name, Budget())) == b"a" * 50 + b"b" * 50, place


@pytest.mark.parametrize(
    ("method", "name"),
    [(1, "shrink"), (6, "implode"), (9, "deflate64"), (18, "terse"), (19, "lz77"), (97, "wavpack"), (98, "ppmd"),
     (77, "method 77")],
)  # fmt: skip
def test_unknown_compression_methods_are_named(method: int, name: str, check: Check) -> None:
    reason = last_reason(check(_zip_by_method(method, b"x", b"x")))
    assert reason == f"in the archive, compressed with {name}, which is not read"


def test_a_huge_lzma_dictionary_is_refused(check: Check) -> None:
    member = _lzma_member(PLAIN, dictionary_size=(1 << 32) - 1)
    assert "more than 129 MiB to unpack" in last_reason(check(_zip_by_method(14, member, PLAIN, flags=2)))
    # an xz file whose header claims such a dictionary, and has the right checksum
    data = bytearray(lzma.compress(PLAIN, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}]))
    size = (data[12] + 1) * 4
    data[12 + size - 8 : 12 + size - 4] = data[12 + size - 8 : 12 + size - 4].replace(b"\x10", b"\x28")
    data[16] = 0x28
    data[12 + size - 4 : 12 + size] = struct.pack("<L", zlib.crc32(data[12 : 12 + size - 4]))
    assert "more than 129 MiB to unpack" in last_reason(check(bytes(data)))


@pytest.mark.thorough
@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress], ids=["bzip2", "xz"])
def test_files_of_bzip2_and_xz_have_the_same_limits(compress: Callable[[bytes], bytes], check: Check) -> None:
    bomb = b'{"a": "' + b" " * (6 << 20)
    assert "unpacks to more than" in last_reason(check(compress(bomb)))
    number = 12 if compress is bz2.compress else 95
    assert "unpacks to more than" in last_reason(check(_zip_by_method(number, compress(bomb), bomb)))


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress], ids=["bzip2", "xz"])
def test_all_streams_of_a_bzip2_or_xz_file_are_read(compress: Callable[[bytes], bytes], check: Check) -> None:
    line = b'{"error": {"message": "x", "type": "t"}}\n'
    parts = check(compress(line) + compress(line))
    assert [type(part) for part in parts] == [Exchange, Exchange]
    damaged = bytearray(compress(line * 50))
    damaged[len(damaged) // 2] ^= 255
    assert "damaged" in last_reason(check(bytes(damaged)))


@pytest.mark.parametrize(
    ("name", "compress"),
    [("gzip", gzip.compress), ("bzip2", bz2.compress), ("xz", lzma.compress), ("zstd", zstd.compress)],
)
def test_a_compressed_file_that_is_cut_off_is_no_answer_that_a_server_cut_off(
    name: str, compress: Callable[[bytes], bytes], check: Check
) -> None:
    line = json.dumps(COMPLETION).encode()
    for end in (-2, -len(compress(line)) // 3):
        [skipped] = check(compress(line)[:end])
        assert isinstance(skipped, Skipped)
        assert skipped.reason == f"{name} data that ends too early"
        assert skipped.unread


def test_lines_before_the_end_of_a_compressed_file_that_is_cut_off_are_read(check: Check) -> None:
    lines = json.dumps(COMPLETION).encode() + b"\n"
    *read, skipped = check(gzip.compress(lines * 10_000)[:-6])
    assert len(read) > 1000
    assert all(isinstance(one, Exchange) for one in read)
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "gzip data that ends too early"


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstd.compress])
def test_padding_behind_the_last_member_of_a_compressed_file_is_left_out(
    compress: Callable[[bytes], bytes], check: Check
) -> None:
    line = b'{"error": {"message": "x", "type": "t"}}\n'
    parts = check(compress(line) + compress(line) + b"\0" * 512)
    assert [type(part) for part in parts] == [Exchange, Exchange]


@given(
    st.sampled_from([("gzip", gzip.compress), ("bzip2", bz2.compress), ("xz", lzma.compress), ("zstd", zstd.compress)]),
    st.lists(st.binary(min_size=1, max_size=60_000) | st.integers(1, 40_000).map(bytes), min_size=1, max_size=5),
    st.sampled_from([b"", b"\0" * 20]),
    st.integers(1, 70_000),
)
def test_any_members_in_any_blocks_are_unpacked_to_what_was_packed(
    packing: tuple[str, Callable[[bytes], bytes]], members: list[bytes], padding: bytes, size: int
) -> None:
    name, compress = packing
    packed = b"".join(map(compress, members)) + padding
    size = max(size, len(packed) // 200)
    blocks = [packed[start : start + size] for start in range(0, len(packed), size)]
    budget = Budget()
    budget.read = 1 << 40
    assert b"".join(unpack(blocks, name, budget)) == b"".join(members)


def test_of_a_body_of_many_members_little_is_copied_at_the_end_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[int] = []
    whole = compression._Zlib.unused_data.fget

    def unused_data(decompressor: Any) -> bytes:
        copied.append(len(rest := whole(decompressor)))
        return rest

    monkeypatch.setattr(compression._Zlib, "unused_data", property(unused_data))
    data, budget = gzip.compress(b"") * 5_000, Budget()
    budget.read = len(data)
    assert decompress_body(data, "gzip", budget) == b""
    assert len(copied) == 5_000
    assert max(copied[1:]) < 1 << 14


def test_a_body_is_unpacked_as_its_bytes_say_and_once_more_than_its_header_says() -> None:
    body = b'{"choices": []}'
    packed = gzip.compress(body), zstd.compress(body), gzip.compress(gzip.compress(body)), body
    assert [decompress_body(one, "gzip", Budget()) for one in packed] == [body] * 4
    assert [decompress_body(body, encoding, Budget()) for encoding in ("br", "deflate")] == [body] * 2


def _begun(data: bytes, name: str) -> bytes:
    """Return the head of what one of the compressions makes of data."""
    pack: dict[str, Callable[[bytes], bytes]] = {
        "gzip": gzip.compress, "deflate": lambda data: zlib.compress(data)[:2], "br": brotli.compress,
        "zstd": zstd.compress, "bzip2": bz2.compress, "xz": lzma.compress,
        "lzma": lambda data: lzma.compress(data, lzma.FORMAT_ALONE),
    }  # fmt: skip
    return pack[name](data)[:10]


@pytest.mark.parametrize("name", compression._OPEN)
def test_data_that_no_compression_makes_is_damaged(name: str) -> None:
    with pytest.raises(Damaged, match=f"damaged {name} data"):
        list(unpack([_begun(bytes(range(256)) * 8, name) + b"\xff" * 400], name, Budget()))


@pytest.mark.thorough
def test_a_huge_zip_directory_is_refused(check: Check) -> None:
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\x01\x02", *([0] * 18))
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(entry) * 250_000, 4, 0)
    assert "more than 100,000 files" in last_reason(check(b"PK\x03\x04" + entry * 250_000 + end))
    long_entry = entry[:28] + b"\xff\xff" + entry[30:] + b"x" * 65535
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(long_entry) * 1500, 4, 0)
    assert "more than 100,000 files" in last_reason(check(b"PK\x03\x04" + long_entry * 1500 + end))


def test_a_large_zip_is_read_from_a_file_and_refused_from_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("large.jsonl", (b'{"error": {"type": "t", "message": "' + b"x" * 1000 + b'"}}\n') * 3000)
    monkeypatch.setattr("isogloss.validator.captures.wrapping.archives.LARGEST_DOCUMENT", 1 << 20)
    with path.open("rb") as stream:
        assert len([part for part in read(Capture(stream, "file")) if isinstance(part, Exchange)]) == 3000

    class Pipe:
        def __init__(self, data: bytes) -> None:
            self.read = io.BytesIO(data).read

    assert "larger than 1 MiB" in last_reason(list(read(Capture(Pipe(path.read_bytes()), "pipe"))))


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("levels", [2, 3])
def test_nested_archives_share_one_limit_of_unpacked_size(levels: int, check: Check) -> None:
    data = _zipped("x.json", b" " * (3 << 20))
    for _ in range(levels - 1):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(20):
                archive.writestr(f"{number}.zip", data)
        data = out.getvalue()
    assert "unpacks to more than 300 times its size" in last_reason(check(data))


def test_members_of_nested_archives_are_counted_together(monkeypatch: pytest.MonkeyPatch, check: Check) -> None:
    monkeypatch.setattr("isogloss.validator.captures.limits.MOST_MEMBERS", 50)
    inner_file = io.BytesIO()
    with zipfile.ZipFile(inner_file, "w", zipfile.ZIP_STORED) as inner:
        for number in range(20):
            inner.writestr(f"{number}.json", b'{"error": {"message": "x", "type": "t"}}')
    outer_file = io.BytesIO()
    with zipfile.ZipFile(outer_file, "w", zipfile.ZIP_STORED) as archive:
        for number in range(5):
            archive.writestr(f"{number}.zip", inner_file.getvalue())
    parts = check(outer_file.getvalue())
    assert sum(isinstance(part, Exchange) for part in parts) < 50
    assert "more than 50 files" in last_reason(parts)


def test_a_member_without_a_name_is_read(check: Check) -> None:
    data = _zipped("x", b'{"error": {"message": "x", "type": "t"}}')
    local, entry = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    nameless = (
        data[local:26] + b"\0\0" + data[28:30] + data[31:entry]
        + data[entry : entry + 28] + b"\0\0" + data[entry + 30 : entry + 46] + data[entry + 47 :]
    )  # fmt: skip
    end = nameless.index(b"PK\x05\x06")
    size, offset = struct.unpack("<LL", nameless[end + 12 : end + 20])
    nameless = nameless[: end + 12] + struct.pack("<LL", size - 1, offset - 1) + nameless[end + 20 :]
    (exchange,) = check(nameless)
    assert isinstance(exchange, Exchange)
    assert exchange.file.endswith("!/")
