"""The target of coverage-guided fuzzing, with atheris: the bytes of a capture are read and judged, as a run does.

    python tests/fuzz/atheris_target.py [FOLDER...]        options of libFuzzer, such as -max_total_time=600

``.clusterfuzzlite/`` builds it with a corpus of the fixtures. What brings about an exception or takes too long is kept
by libFuzzer; reduced (``-minimize_crash=1``), it goes to ``fixtures/fuzz``.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["isogloss"]):
    from isogloss.validator import captures, engines
    from isogloss.validator.exchange import Exchange
    from isogloss.validator.judging.judge import Judge

import io

JUDGE = Judge(engines.load())
FORMATS = (None, *sorted(captures.input_formats()))


def one(data: bytes) -> None:
    """Read what follows the first byte, which says as which format: by its content, or as one in particular."""
    given = FORMATS[data[0] % len(FORMATS)] if data else None
    for found in captures.read(captures.Capture(io.BytesIO(data[1:]), "capture"), given):
        if isinstance(found, Exchange):
            JUDGE.judge(found)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
