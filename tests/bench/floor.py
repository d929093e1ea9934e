"""What nothing that decodes with orjson can undercut: each document decoded and decided, in one process, no more.

    python floor.py (lines | chunks | files) (jsonschema-rs | fastjsonschema) SCHEMA PATH

``lines`` are JSON Lines, ``chunks`` the ``data`` lines in the ``sse`` members of exchange records, ``files`` those of a
directory. Prints how many documents there were, and how many are valid.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson


def _lines(path: str) -> Iterator[bytes]:
    with open(path, "rb") as stream:
        yield from stream


def _chunks(path: str) -> Iterator[bytes]:
    for line in _lines(path):
        for event in orjson.loads(line)["sse"].encode().split(b"\n\n"):
            if event and event != b"data: [DONE]":
                yield event[6:]


def _files(path: str) -> Iterator[bytes]:
    for file in sorted(Path(path).iterdir()):
        yield file.read_bytes()


def _decider(name: str, schema: dict[str, object]) -> Callable[[object], bool]:
    if name == "jsonschema-rs":
        import jsonschema_rs

        return jsonschema_rs.Draft202012Validator(schema).is_valid
    import fastjsonschema  # reads the schema as one of draft 7, of which it uses nothing that has changed

    validate = fastjsonschema.compile(schema)

    def valid(value: object) -> bool:
        try:
            validate(value)
        except fastjsonschema.JsonSchemaException:
            return False
        return True

    return valid


def main(what: str, engine: str, schema: str, path: str) -> None:
    """Decide every document."""
    valid = _decider(engine, orjson.loads(Path(schema).read_bytes()))
    total = passed = 0
    loads = orjson.loads
    for data in {"lines": _lines, "chunks": _chunks, "files": _files}[what](path):
        total += 1
        passed += valid(loads(data))
    print(total, passed)


if __name__ == "__main__":
    main(*sys.argv[1:])
