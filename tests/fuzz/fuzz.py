"""Fuzz capture files by mutation: reading and judging a changed file must end in findings, or in a reason to skip it.

    python tests/fuzz/fuzz.py [--runs 200000] [--seed 1] [--keep FOLDER]
    python tests/fuzz/fuzz.py --minimise CORPUS --keep FOLDER

Changes the bytes of the files of ``fixtures/captures``, ``fixtures/logs``, ``fixtures/packed`` and ``fixtures/fuzz`` at
random. Every second file is instead an exchange made of parts of all fixtures (:mod:`structured`), written in some
format. An exception is a fault, and so is a file that takes more than five seconds. Such a file is written to FOLDER,
by default ``fixtures/fuzz``. It stays there as a fixture when the fault is repaired. Ends with 1 if there was a fault.
Prints its progress, with the memory that is in use.

``--minimise`` copies those files of a corpus to FOLDER that reach a line of isogloss which no smaller file reaches.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import io
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import structured

from isogloss.validator import engines
from isogloss.validator.captures import Capture, read
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.dialects import model as dialects
from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.exchange import Exchange
from isogloss.validator.judging.judge import Judge

FIXTURES = Path(__file__).parents[2] / "fixtures"
FAULTY_FILES = FIXTURES / "fuzz"
TIME_LIMIT = 5.0
"""The processor time, in seconds, that a file of some kilobytes may take."""
SECONDS_PER_BYTE = 3e-6
"""The processor time, in seconds, that each byte may take in addition.

Some mutations repeat a part many times, and make files of megabytes.
"""

_TOKENS = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\r\n", b"\n\n", b"\t", b" " * 40, b"\\", b'"', b"'",
    b"{", b"}", b"[", b"]", b",", b":", b"null", b"true", b"NaN", b"-0", b"1e999", b"9" * 400, b"0" * 5000,
    b"\\ud800", b"\\u0000", b"\\x00", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xc2\x85", b"sk-" + b"A" * 40,
    b"[" * 300, b'{"a":' * 300, b"- " * 300, b"&a ", b"*a", b"<<: *a", b"!!binary ", b"!!python/object:os.system ",
    b"|2-\n", b">+\n", b"---\n", b"...\n", b"? ", b"data: ", b"data:", b"event: error\n", b": comment\n", b"[DONE]",
    b"HTTP/1.1 200 OK\r\n\r\n", b"ffffffff\r\n", b"0\r\n\r\n", b"Transfer-Encoding: chunked\r\n",
    b"Content-Encoding: br\r\n", b"gzip", b"deflate", b"zstd", b"\x1f\x8b\x08", b"(\xb5/\xfd", b"PK\x03\x04",
    b"base64_string", b"parsed_body", b"messages", b"choices", b"delta", b"error", b"tool_calls", b"request",
    b"response", b"httprr trace v1\n", b"9 9\n", b'{"b64":"', b"base64:", b'"chunks":[',
    b'{"matcher":"exact","value":"', b'"__type__":"openai.types.chat.x",', b'"__data__":',
    b"1f8b0800", b"\x83m", b'"scope":', b"? [", b"? &k ",
    b'{"choices":[{"delta":{}}]}', b'"mapped":{"request":', b'"mapped":{"chunks":', b'{"input.value":', b"```json\n",
    b"\n> ~~~ sse\n", b'"attributes":[{"key":"input.value","value":{"stringValue":', b'"streamed_data":', b'"call":{',
    b'"equalToJson":', b'"bodyFileName":"a.json",', b'"url":"/v1/chat/completions",', b"9:websocket;",
)  # fmt: skip


_MAPPING = Mapping(
    request="mapped.request", response="mapped.choices.0.message", stream="mapped.chunks", status="mapped.status",
    content_type="mapped.type", host="mapped.host", path="mapped.path",
)  # fmt: skip
"""A mapping that hardly any capture fits, except those with a token above that contains ``mapped``."""


class Hang(BaseException):
    """Raised if a file takes too long. No ``except Exception`` in the code that it interrupts catches it."""


def mutate(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Return the bytes after a few random changes. Some changes put in parts of ``others``."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        rng.choice(_MUTATIONS)(changed, others, rng)
    return bytes(changed)


_Mutation = Callable[[bytearray, list[bytes], random.Random], None]


def _span(data: bytearray, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + int(rng.expovariate(1 / 20)) + 1)


def _flip_bit(data: bytearray, _others: list[bytes], rng: random.Random) -> None:
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _put_token(data: bytearray, _others: list[bytes], rng: random.Random) -> None:
    start, end = _span(data, rng)
    data[start : rng.choice((start, end))] = rng.choice(_TOKENS)


def _cut_part(data: bytearray, _others: list[bytes], rng: random.Random) -> None:
    start, end = _span(data, rng)
    del data[start : rng.choice((end, end, len(data)))]


def _repeat_part(data: bytearray, _others: list[bytes], rng: random.Random) -> None:
    start, end = _span(data, rng)
    data[start:start] = data[start:end] * rng.choice((1, 1, 2, 50))


def _put_foreign_part(data: bytearray, others: list[bytes], rng: random.Random) -> None:
    other = rng.choice(others)
    start, end = _span(bytearray(other), rng)
    target_start, target_end = _span(data, rng)
    data[target_start:target_end] = other[start : rng.choice((end, min(start + 2000, len(other))))]


def _swap_lines(data: bytearray, _others: list[bytes], rng: random.Random) -> None:
    lines = bytes(data).split(b"\n")
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    data[:] = b"\n".join(lines)


def _shift_lines(data: bytearray, _others: list[bytes], rng: random.Random) -> None:
    """Change the indentation of a line, which has a meaning in YAML."""
    lines = bytes(data).split(b"\n")
    number = rng.randrange(len(lines))
    lines[number] = b" " * rng.randrange(9) + lines[number].lstrip(b" ")
    data[:] = b"\n".join(lines)


_MUTATIONS: tuple[_Mutation, ...] = (
    _flip_bit,
    _flip_bit,
    _put_token,
    _put_token,
    _cut_part,
    _repeat_part,
    _put_foreign_part,
    _swap_lines,
    _shift_lines,
)


def seed_files() -> list[bytes]:
    """Return the files that are mutated, in a stable order."""
    folders = ("captures", "logs", "packed", "fuzz")
    return [path.read_bytes() for name in folders for path in sorted((FIXTURES / name).rglob("*")) if path.is_file()]


def check(data: bytes, judge: Judge) -> int:
    """Read and judge a capture as a run does, and return the number of its findings.

    A capture with a code fence gets the name of a Markdown file, and any other that of a text. They are read as such if
    no other format fits.
    """
    name = "capture.md" if b"```" in data or b"~~~" in data else "capture.txt"
    capture = Capture(io.BytesIO(data), name, mapping=_MAPPING)
    exchanges = (item for item in read(capture) if isinstance(item, Exchange))
    return sum(len(judge.judge(exchange).findings) for exchange in exchanges)


def run(runs: int, seed: int, on_file: Callable[[int], None] = lambda _: None) -> Iterator[tuple[bytes, BaseException]]:
    """Make ``runs`` mutated files, and yield each file that causes a fault, with the fault.

    ``on_file`` is called with the number of each file.
    """
    judge = Judge(engines.load(), explainer=AutoExplainer(dialects.dialects()))
    files, values = seed_files(), structured.read_values()
    rng = random.Random(seed)
    signal.signal(signal.SIGPROF, _raise_hang)
    for number in range(runs):
        if number % 2:
            _, data = structured.write_exchange(structured.make_exchange(values, rng), rng)
        else:
            data = mutate(rng.choice(files), files, rng)
        on_file(number)
        signal.setitimer(signal.ITIMER_PROF, TIME_LIMIT + SECONDS_PER_BYTE * len(data))
        try:
            check(data, judge)
        except (Exception, Hang) as error:  # noqa: BLE001 - any exception is a fault
            signal.setitimer(signal.ITIMER_PROF, 0)
            yield data, error
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


def minimise(files: Iterable[bytes], judge: Judge) -> Iterator[bytes]:
    """Yield the files that reach lines of isogloss which no smaller file reaches, with the smallest file first."""
    reached: set[tuple[str, int]] = set()

    def trace(frame: FrameType, _event: str, _value: object) -> Callable[..., Any] | None:
        path = frame.f_code.co_filename
        if "isogloss" not in path:
            return None
        reached.add((path, frame.f_lineno))
        return trace

    for data in sorted(set(files), key=lambda data: (len(data), data)):
        before = len(reached)
        sys.settrace(trace)
        try:
            check(data, judge)
        finally:
            sys.settrace(None)
        if len(reached) > before:
            yield data


def _keep_file(data: bytes, folder: Path) -> Path:
    """Write a file to the folder, with a name made from its content, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / hashlib.sha256(data).hexdigest()[:16]
    path.write_bytes(data)
    return path


def _raise_hang(_signal: int, _frame: FrameType | None) -> None:
    raise Hang


def _print_progress(step: int, number: int) -> None:
    if number % step == 0:
        import resource  # only systems like Unix have it

        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        print(f"{number} files, {seconds:.0f} s, {pages * resource.getpagesize() >> 20} MiB", flush=True)


def main() -> int:
    """Run as the command line says, and return 1 if there was a fault, otherwise 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=FAULTY_FILES)
    parser.add_argument("--minimise", type=Path, metavar="CORPUS")
    arguments = parser.parse_args()
    if arguments.minimise is not None:
        corpus = [path.read_bytes() for path in sorted(arguments.minimise.rglob("*")) if path.is_file()]
        kept = [_keep_file(data, arguments.keep) for data in minimise(corpus, Judge(engines.load()))]
        print(f"{len(kept)} of {len(corpus)} files reach all lines")
        return 0
    faults: dict[str, int] = {}
    start = time.perf_counter()
    step = min(max(arguments.runs // 10, 1), 20_000)
    for data, error in run(arguments.runs, arguments.seed, on_file=partial(_print_progress, step)):
        last = traceback.extract_tb(error.__traceback__)[-2 if isinstance(error, Hang) else -1]
        where = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
        faults[where] = faults.get(where, 0) + 1
        if faults[where] == 1:  # only the first file of each fault is kept
            print(f"{where}: {str(error)[:200]}: {_keep_file(data, arguments.keep)}", flush=True)
        error.__traceback__ = None  # its frames keep everything that was read, which slows the next files down
    print(f"{arguments.runs} files in {time.perf_counter() - start:.0f} s, faults: {faults or 'none'}")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
