"""Test the forms of ids and names by which dialects are known, and on which days facts begin and end to hold.

``forms.txt`` has a value for each form, and one just beside it that the dialect does not make. ``changes.txt`` has the
days on which servers changed.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from isogloss.validator.dialects.model import Fact, dialect

HERE = Path(__file__).parent
ANSWERS = ("completion", "chunk")
CALLS = {"completion": "choices[].message.tool_calls[].id", "chunk": "choices[].delta.tool_calls[].id", "error": ""}
PATHS = {
    "refusal": "choices[].message.refusal",
    "message": "error.message",
    "type": "error.type",
    "code": "error.code",
    "param": "error.param",
    "text": "error",
    "holder": "type",
    "raw_status": "raw_status_code",
    "weight": "metadata.weight_version",
}


class _Characters(str):
    """Random characters. A format says how many of them are written."""

    __slots__ = ()

    def __format__(self, count: str) -> str:
        return self[: int(count or len(self))]


CHARACTERS = {
    "uuid": _Characters("b7b56af0-52a6-483f-a589-948182676a1b"),
    "hex": _Characters("b7b56af052a6483fa589948182676a1b0c2d4e6f8091a3b5c7d9e1f2031425364758697a8b"),
    "dig": _Characters("17600000012345678901"),
    "low": _Characters("q7w2e9r4t1y6u3i8o5p0a7s2d9f4"),
    "up": _Characters("01JZX3K9QW8VN2T5RB7HCM4DFG"),
    "any": _Characters("Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXyZ4g"),
    "base32": _Characters("qz3w7e2r5t6y4u2i7o3p5asd6fgh4jkl2zxc7vbn3mqw5ert6yui4o"),
    "base58": _Characters("2bCdEfGhJkLmNpQrStUvWx"),
}


class Form(NamedTuple):
    """A value as a dialect makes it in some kinds of payloads, one just beside it, and the days at the ends of that."""

    place: str
    kinds: tuple[str, ...]
    value: Any
    beside: Any
    days: dict[str, str]

    def claiming(self, slug: str, kind: str, value: object) -> list[Fact]:
        """Return the forms of a dialect that a value at this place has."""
        path = CALLS[kind] if self.place == "call" else PATHS.get(self.place, self.place)
        facts = (one for one in dialect(slug).fingerprints if not one.inherited)
        return [one for one in facts if kind in one.kinds and one.at == path and one.accepts(value)]


def _rows(name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the lines of a file, without the indentation: the slug above it, and what stands between wide spaces."""
    slug = ""
    for line in (HERE / name).read_text("utf-8").splitlines():
        if line.startswith(" "):
            yield slug, re.split(" {2,}", line.strip())
        elif line and not line.startswith("#"):
            slug = line


def _value(text: str) -> Any:
    text = text.format_map(CHARACTERS)
    try:
        return json.loads(text)
    except ValueError:
        return text


def _forms() -> Iterator[tuple[str, Form]]:
    for slug, (place, value, beside, *days) in _rows("forms.txt"):
        *kind, name = place.split(" ")
        dates = dict(re.findall(r"(since|until) (\S+)", " ".join(days)))
        yield slug, Form(name, tuple(kind) or ANSWERS, _value(value), _value(beside), dates)


FORMS = list(_forms())
CHANGES: dict[str, list[list[str]]] = {}
for _slug, _row in _rows("changes.txt"):
    CHANGES.setdefault(_slug, []).append(_row)


def _held(fact: Fact, day: str, days_later: int = 0) -> bool:
    """Return whether a fact held at noon of a day, or some days later."""
    noon = datetime.datetime.fromisoformat(f"{day}T12:00:00+00:00") + datetime.timedelta(days_later)
    return fact.holds(noon.timestamp())


def _changed(fact: Fact, when: str, day: str) -> bool:
    """Return whether a fact was first seen on a day, or last."""
    return _held(fact, day) and not _held(fact, day, -1 if when == "since" else 1)


@pytest.mark.parametrize("slug", dict.fromkeys(slug for slug, _ in FORMS))
def test_a_dialect_makes_values_of_its_forms_and_none_just_beside_them(slug: str) -> None:
    for form in (form for of, form in FORMS if of == slug):
        for kind in (*ANSWERS, "error"):
            claiming = form.claiming(slug, kind, form.value)
            assert bool(claiming) == (kind in form.kinds), (kind, form)
            assert not form.claiming(slug, kind, form.beside), (kind, form)
            if form.days:
                assert all(_changed(one, *change) for one in claiming for change in form.days.items()), form
            else:
                assert any(one.since is one.until is None for one in claiming) or not claiming, form


@pytest.mark.parametrize("slug", CHANGES)
def test_a_deviation_holds_from_the_first_to_the_last_day_on_which_a_server_showed_it(slug: str) -> None:
    facts = [one for one in dialect(slug).explaining_facts if not one.inherited]
    for change, names in CHANGES[slug]:
        for name in names.split(", "):
            named = [one for one in facts if one.title.replace("choices[].", "") == name]
            assert any(_changed(one, *change.split(" ")) for one in named), (change, name)
