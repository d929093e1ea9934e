"""Fuzz captures guided by coverage, with atheris: the bytes of a capture are read and judged as in a run.

    python tests/fuzz/atheris_target.py [FOLDER...]        options of libFuzzer, such as -max_total_time=600

``.clusterfuzzlite/`` builds it with a corpus of the fixtures. libFuzzer keeps the files that cause an exception or take
too long. Reduce such a file with ``-minimize_crash=1``, and add it to ``fixtures/fuzz``.
"""

from __future__ import annotations

import importlib
import io
import pkgutil
import sys

import atheris

with atheris.instrument_imports(include=["isogloss"]):
    import isogloss.validator
    from isogloss.validator import captures, engines
    from isogloss.validator.exchange import Exchange
    from isogloss.validator.judging.judge import Judge

    for module in pkgutil.walk_packages(isogloss.validator.__path__, "isogloss.validator."):
        importlib.import_module(module.name)  # most are imported where they are first used: too late to be followed

JUDGE = Judge(engines.load())
FORMATS = (None, *sorted(captures.input_formats()))


def check(data: bytes) -> None:
    """Read and judge a capture: the bytes after the first one.

    The first byte chooses the format in which they are read, or that the format is recognised by the content.
    """
    format_name = FORMATS[data[0] % len(FORMATS)] if data else None
    for item in captures.read(captures.Capture(io.BytesIO(data[1:]), "capture"), format_name):
        if isinstance(item, Exchange):
            JUDGE.judge(item)


if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
