"""Archives and compressed files: which members are read, why others are skipped, and the limits."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from isogloss.validator.captures import Capture, read
from isogloss.validator.exchange import Exchange, Skipped

Check = Callable[[bytes], list[Exchange | Skipped]]


def _zipped(name: str, data: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr(name, data)
    return out.getvalue()


def _reason(found: list[Exchange | Skipped]) -> str:
    assert found
    assert isinstance(found[-1], Skipped), found
    return found[-1].reason


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


@pytest.mark.thorough
def test_a_tar_header_of_any_size_is_refused(check: Check) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 1 << 30
    assert check(info.tobuf(tarfile.USTAR_FORMAT) + b"\0" * (40 << 20))


@pytest.mark.parametrize("wrap", [gzip.compress, lambda data: _zipped("inner", data)], ids=["gzip", "zip"])
def test_archives_in_each_other_have_an_end(wrap: Callable[[bytes], bytes], check: Check) -> None:
    """Check the limit that also stops a quine, which is an archive that unpacks to itself."""
    data = b'{"error": {"message": "x", "type": "t"}}'
    for _ in range(12):
        data = wrap(data)
    assert "in each other" in _reason(check(data))


def test_damaged_and_locked_archives_are_said(check: Check) -> None:
    sound = _zipped("one.json", b'{"error": {"message": "x", "type": "t"}}' * 99)
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
    """Make a zip of one member, packed by a method that ``zipfile`` may not know."""
    said = struct.pack("<4HL2L2H", flags, method, 0, 33, zlib.crc32(plain), len(packed), len(plain), len(name), 0)
    local = b"PK\x03\x04" + struct.pack("<H", 63) + said + name
    entry = b"PK\x01\x02" + struct.pack("<2H", 63, 63) + said + struct.pack("<3H2L", 0, 0, 0, 0, 0) + name
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(entry), len(local) + len(packed), 0)
    return local + packed + entry + end


def _lzma_member(plain: bytes, dictionary: int = 1 << 20) -> bytes:
    alone = lzma.compress(plain, lzma.FORMAT_ALONE, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 20}])
    return b"\x09\x04\x05\0" + alone[:1] + struct.pack("<L", dictionary) + alone[13:]


PLAIN = b'{"error": {"message": "x", "type": "t"}}' + b" " * 5000
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


@pytest.mark.thorough
@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress], ids=["bzip2", "xz"])
def test_files_of_bzip2_and_xz_have_the_same_limits(compress: Callable[[bytes], bytes], check: Check) -> None:
    bomb = b'{"a": "' + b" " * (6 << 20)
    assert "unpacks to more than" in _reason(check(compress(bomb)))
    number = 12 if compress is bz2.compress else 95
    assert "unpacks to more than" in _reason(check(_by_method(number, compress(bomb), bomb)))


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress], ids=["bzip2", "xz"])
def test_files_of_bzip2_and_xz_are_read_through_all_their_parts(
    compress: Callable[[bytes], bytes], check: Check
) -> None:
    line = b'{"error": {"message": "x", "type": "t"}}\n'
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
        archive.writestr("large.jsonl", (b'{"error": {"type": "t", "message": "' + b"x" * 1000 + b'"}}\n') * 3000)
    monkeypatch.setattr("isogloss.validator.captures.wrapping.archives.LARGEST_DOCUMENT", 1 << 20)
    with path.open("rb") as stream:
        assert len([one for one in read(Capture(stream, "file")) if isinstance(one, Exchange)]) == 3000

    class Pipe:
        def __init__(self, data: bytes) -> None:
            self.read = io.BytesIO(data).read

    assert "larger than 1 MiB" in _reason(list(read(Capture(Pipe(path.read_bytes()), "pipe"))))


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("levels", [2, 3])
def test_archives_in_archives_unpack_to_no_more_than_one_archive(levels: int, check: Check) -> None:
    data = _zipped("x.json", b" " * (3 << 20))
    for _ in range(levels - 1):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(20):
                archive.writestr(f"{number}.zip", data)
        data = out.getvalue()
    assert "unpacks to more than 300 times its size" in _reason(check(data))


def test_the_files_of_all_archives_in_an_archive_are_counted_together(
    monkeypatch: pytest.MonkeyPatch, check: Check
) -> None:
    monkeypatch.setattr("isogloss.validator.captures.capture.MOST_MEMBERS", 50)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as inner:
        for number in range(20):
            inner.writestr(f"{number}.json", b'{"error": {"message": "x", "type": "t"}}')
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as archive:
        for number in range(5):
            archive.writestr(f"{number}.zip", out.getvalue())
    found = check(whole.getvalue())
    assert sum(isinstance(one, Exchange) for one in found) < 50
    assert "more than 50 files" in _reason(found)


def test_a_member_without_a_name_is_read_like_any_other(check: Check) -> None:
    data = _zipped("x", b'{"error": {"message": "x", "type": "t"}}')
    local, entry = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    nameless = (
        data[local:26] + b"\0\0" + data[28:30] + data[31:entry]
        + data[entry : entry + 28] + b"\0\0" + data[entry + 30 : entry + 46] + data[entry + 47 :]
    )  # fmt: skip
    end = nameless.index(b"PK\x05\x06")
    size, offset = struct.unpack("<LL", nameless[end + 12 : end + 20])
    nameless = nameless[: end + 12] + struct.pack("<LL", size - 1, offset - 1) + nameless[end + 20 :]
    (found,) = check(nameless)
    assert isinstance(found, Exchange)
    assert found.file.endswith("!/")
