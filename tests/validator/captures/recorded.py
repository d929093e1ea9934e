"""One exchange as tests record it, and what the writers of all formats share."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import yaml
from payloads import URL


@dataclass(frozen=True)
class Recorded:
    """One exchange, with both bodies as they were sent. ``request`` is ``None`` if only a response was recorded."""

    request: str | None
    response: str
    status: int = 200
    content_type: str = "application/json"
    url: str = URL
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def request_headers(self) -> dict[str, str]:
        return {"content-type": "application/json", **dict(self.headers)}

    @property
    def response_headers(self) -> dict[str, str]:
        return {"content-type": self.content_type, **dict(self.headers)}


Writer = Callable[[list[Recorded]], bytes]


class _StyledText(str):
    """A text with the style in which it is written as YAML."""

    style: str | None = None


class _YamlDumper(yaml.CSafeDumper):
    pass


def in_style(style: str | None) -> Callable[[str], _StyledText]:
    def add_style(text: str) -> _StyledText:
        styled = _StyledText(text)
        styled.style = style
        return styled

    return add_style


_YamlDumper.add_representer(
    _StyledText, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=text.style)
)


def dump_yaml(value: Any) -> bytes:
    return yaml.dump(value, Dumper=_YamlDumper, allow_unicode=True, sort_keys=False, width=90).encode()


def dump_json(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def compress(data: bytes) -> bytes:
    """Compress with gzip, without a time, so that the same data give the same bytes."""
    return gzip.compress(data, mtime=0)


def dump_lines(values: list[Any]) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def pieces(text: str) -> list[str]:
    return [text[at : at + 50] for at in range(0, len(text), 50)]


def parsed_body(text: str) -> Any:
    """Return the body as a recorder parses it: JSON as a value, anything else as text."""
    return json.loads(text) if text.startswith("{") else text
