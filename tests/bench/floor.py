"""Do the least that a validator with orjson can do: decode and validate each document, in one process.

    python floor.py (lines | chunks | files | records) (jsonschema-rs | fastjsonschema) SCHEMA PATH

The first argument says what the documents are. ``lines``: the lines of a file of JSON Lines. ``chunks``: the ``data``
lines in the ``sse`` of exchange records. ``files``: the files of a directory. ``records``: the payloads in the exchange
records of a directory's JSON Lines, each validated against the schema of its kind, which is in the same folder as
SCHEMA. Prints the number of documents, and the number of valid ones.
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


def _compile(name: str, schema: dict[str, object]) -> Callable[[object], bool]:
    if name == "jsonschema-rs":
        import jsonschema_rs

        return jsonschema_rs.Draft202012Validator(schema).is_valid
    import fastjsonschema  # It reads the schema as draft 7, which is the same for all keywords that the schema uses.

    validate = fastjsonschema.compile(schema)

    def is_valid(value: object) -> bool:
        try:
            validate(value)
        except fastjsonschema.JsonSchemaException:
            return False
        return True

    return is_valid


def main(layout: str, engine: str, schema: str, path: str) -> None:
    """Validate every document, and print how many documents there are and how many of them are valid."""
    total = valid = 0
    if layout == "records":
        kinds = ("request", "completion", "chunk", "error")
        schemas = {kind: Path(schema).with_name(f"{kind}.json").read_bytes() for kind in kinds}
        validators = {kind: _compile(engine, orjson.loads(text)) for kind, text in schemas.items()}
        for kind, value in _records(path):
            total += 1
            valid += validators[kind](value)
        print(total, valid)
        return
    is_valid = _compile(engine, orjson.loads(Path(schema).read_bytes()))
    loads = orjson.loads
    for data in {"lines": _lines, "chunks": _chunks, "files": _files}[layout](path):
        total += 1
        valid += is_valid(loads(data))
    print(total, valid)


if __name__ == "__main__":
    main(*sys.argv[1:])
