"""The least that any validator can do which decodes with orjson: decode and validate each document, in one process.

    python floor.py (lines | chunks | files | records) (jsonschema-rs | fastjsonschema) SCHEMA PATH

``lines`` are JSON Lines, ``chunks`` the ``data`` lines in the ``sse`` of exchange records, ``files`` those of a
directory, ``records`` the payloads in the exchange records of a directory's JSON Lines, each validated against the
schema of its kind, which is in the same folder as SCHEMA. Prints how many documents there were, and how many are valid.
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


def _records(path: str) -> Iterator[tuple[str, object]]:
    """Yield the payloads of exchange records, each with its kind."""
    for file in sorted(Path(path).rglob("*.jsonl")):
        for line in _lines(str(file)):
            record = orjson.loads(line)
            if isinstance(record.get("request"), dict):
                yield "request", record["request"]
            if isinstance(answer := record.get("response"), dict):
                yield ("error" if "error" in answer else "completion"), answer
            for field in (record.get("sse") or "").split("\n"):
                if field.startswith("data:") and "[DONE]" not in field:
                    try:
                        yield "chunk", orjson.loads(field[5:])
                    except orjson.JSONDecodeError:
                        continue
            for chunk in record.get("chunks") or ():
                yield "chunk", chunk


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
    """Validate every document, and print how many documents there are and how many of them are valid."""
    total = passed = 0
    if what == "records":
        kinds = ("request", "completion", "chunk", "error")
        schemas = {kind: Path(schema).with_name(f"{kind}.json").read_bytes() for kind in kinds}
        deciders = {kind: _decider(engine, orjson.loads(text)) for kind, text in schemas.items()}
        for kind, value in _records(path):
            total += 1
            passed += deciders[kind](value)
        print(total, passed)
        return
    valid = _decider(engine, orjson.loads(Path(schema).read_bytes()))
    loads = orjson.loads
    for data in {"lines": _lines, "chunks": _chunks, "files": _files}[what](path):
        total += 1
        passed += valid(loads(data))
    print(total, passed)


if __name__ == "__main__":
    main(*sys.argv[1:])
