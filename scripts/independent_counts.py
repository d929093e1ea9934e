"""Count the Chat Completions exchanges in recorded files with simple code that uses nothing of isogloss.

Each layout is read by the names that its recorder writes, with ``json`` and PyYAML. An exchange is a POST to a path
that ends in ``/chat/completions``. A file with only a body counts as one exchange. An array of completions counts as
one exchange for each completion.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

__all__ = ["count"]


class _Loader(yaml.CSafeLoader):
    """Reads a value with an unknown tag as the list, object or text that it is, and a key with such a tag as text."""


def _construct_plain(loader: Any, _suffix: str, node: Any) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return str(loader.construct_sequence(node, deep=True))
    return loader.construct_scalar(node)


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", _construct_plain)
_Loader.add_multi_constructor("!", _construct_plain)


def count(path: Path) -> int:
    """Count the exchanges in a file."""
    data = path.read_bytes()
    if data.startswith(b"httprr trace v1\n"):
        return sum(_is_chat_completion(method, url) for method, url in _httprr_requests(data.partition(b"\n")[2]))
    if path.suffix in (".yaml", ".yml"):
        return sum(map(_count_document, yaml.load_all(data, Loader=_Loader)))
    if path.suffix == ".txt":
        return 1
    return _count_document(json.loads(data))


def _httprr_requests(data: bytes) -> Iterator[tuple[str, str]]:
    while data:
        line, _, data = data.partition(b"\n")
        request_size, response_size = map(int, line.split())
        method, url, _ = data.split(b" ", 2)
        yield method.decode(), url.decode()
        data = data[request_size + response_size :]


def _count_document(value: Any) -> int:
    if isinstance(value, list):
        return _count_list(value)
    for name, read in _LAYOUTS.items():
        if name in value:
            return sum(_is_chat_completion(*request) for request in read(value))
    return 1  # only a body


def _count_list(values: list[Any]) -> int:
    if values and "scope" in values[0]:  # nock
        return sum(_is_chat_completion(item["method"], item["path"]) for item in values)
    are_chunks = all(item.get("object") == "chat.completion.chunk" for item in values)
    return int(bool(values)) if are_chunks else len(values)


def _requests(items: Iterable[Any], url: str) -> Iterator[tuple[str, str]]:
    return ((item["request"]["method"], item["request"][url]) for item in items)


_LAYOUTS: dict[str, Callable[[Any], Iterable[tuple[str, str]]]] = {
    "interactions": lambda value: (
        (item["request"]["method"], item["request"].get("uri") or item["request"].get("url"))
        for item in value["interactions"]
    ),
    "http_interactions": lambda value: _requests(value["http_interactions"], "uri"),
    "log": lambda value: _requests(value["log"]["entries"], "url"),
    "Entries": lambda value: ((entry["RequestMethod"], entry["RequestUri"]) for entry in value["Entries"]),
    "when": lambda value: [(value["when"]["method"], value["when"]["path"])],
    "request": lambda value: _requests([value], "url"),
}


def _is_chat_completion(method: str, url: str) -> bool:
    return method.upper() == "POST" and bool(re.search(r"/chat/completions/?\Z", urlsplit(url).path))
