"""Check that the memory of a run does not grow with its input: measure the peak for inputs of two sizes.

    python scripts/memory.py [--small 100] [--large 1000] [--lines completion|stream|sse]

Pipes the given number of MB of conforming lines, or of streamed responses one after the other, into
``isogloss check -``. Prints the time and the peak resident memory of each run. Ends with 1 if the larger run needs over
10 % more memory than the smaller run. Works on Linux and macOS.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

CONFORMING = Path(__file__).parent.parent / "fixtures" / "conforming"
COMMAND = (sys.executable, "-c", "from isogloss.cli.main import main; main()", "check", "--format", "json", "-")
_MB = 1 << 20


def main() -> int:
    """Run both sizes, and compare their peaks. Returns 1 if the memory grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=100, help="MB of the smaller input")
    parser.add_argument("--large", type=int, default=1000, help="MB of the larger input")
    parser.add_argument("--lines", choices=("completion", "stream", "sse"), default="completion")
    arguments = parser.parse_args()
    lines = {"completion": _completion_line, "stream": _stream_lines, "sse": _events}[arguments.lines]()
    peaks = [_measure(size, lines) for size in (arguments.small, arguments.large)]
    growth = peaks[1] / peaks[0] - 1
    print(f"growth: {growth:+.1%}")
    return int(growth > 0.1)


def _completion_line() -> bytes:
    """Return a line with a conforming completion."""
    return json.dumps(json.loads((CONFORMING / "completion" / "text.json").read_bytes())).encode() + b"\n"


def _stream_lines() -> bytes:
    """Return the lines of a conforming stream of chunks."""
    names = ["first-role", *["content"] * 50, "finish"]
    chunks = [json.loads((CONFORMING / "chunk" / f"{name}.json").read_bytes()) for name in names]
    lines = []
    for chunk in chunks:
        chunk |= {key: chunks[0][key] for key in ("created", "model", "system_fingerprint") if key in chunks[0]}
        lines.append(json.dumps(chunk | {"id": "chatcmpl-NUMBER"}))
    return ("\n".join(lines) + "\n").encode()


def _events() -> bytes:
    """Return the body of a conforming streamed response."""
    return b"".join(b"data: " + line + b"\n\n" for line in [*_stream_lines().splitlines(), b"[DONE]"])


def _measure(size: int, lines: bytes) -> int:
    """Return the peak resident memory, in bytes, of a check of `size` MB of these lines, repeated."""
    start = time.perf_counter()
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    bytes_left, number = size * _MB, 0
    while bytes_left > 0:
        block = b"".join(lines.replace(b"NUMBER", b"%d" % (number + offset)) for offset in range(_MB // len(lines) + 1))
        number += _MB // len(lines) + 1
        view = memoryview(block)
        while view:
            view = view[process.stdin.write(view) :]
        bytes_left -= len(block)
    process.stdin.close()
    report = json.loads(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, report["findings"][:3]
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    seconds = time.perf_counter() - start
    print(
        f"{size} MB, {report['summary']['exchanges']} exchanges: {seconds:.0f} s, peak {peak / _MB:.0f} MB", flush=True
    )
    return peak


if __name__ == "__main__":
    sys.exit(main())
