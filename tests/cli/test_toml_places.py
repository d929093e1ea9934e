"""Tests of finding the keys of a TOML text."""

from __future__ import annotations

import pytest

from isogloss.cli.configuration.toml_places import place_of

TEXT = '''\
# dialect = "no"
dialect = "groq"
  paths."a = b".strict = true
records = { request = "a", "response" = "b" }
words = """
fail-on = "no"
"""
fail-on = "note"

[paths.'x/*'.severity]
wrong-type = "note"

[[expect]]
name = "one"
schema = { type = "string" }
[[expect]]
name = "two"
[expect.schema]
type = "string"
description = """
two lines
title = "no"
"""
'''


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        (("dialect",), (2, 1)),
        (("dialect", 3), (2, 1)),
        (("paths", "a = b", "strict"), (3, 17)),
        (("records", "request"), (4, 13)),
        (("records", "response"), (4, 28)),
        (("records", "stream"), (4, 1)),
        (("fail-on",), (8, 1)),
        (("paths", "x/*", "severity", "wrong-type"), (11, 1)),
        (("paths", "x/*", "severity"), (10, 2)),
        (("expect",), (13, 3)),
        (("expect", 0, "schema", "type"), (15, 12)),
        (("expect", 1, "name"), (17, 1)),
        (("expect", 1, "schema", "type"), (19, 1)),
        (("expect", 1, "schema", "title"), (18, 2)),
        (("expect", 2), (13, 3)),
        (("nothing",), None),
    ],
)
def test_a_key_has_a_line_and_a_column(keys: tuple[str | int, ...], place: tuple[int, int] | None) -> None:
    assert place_of(TEXT, keys) == place
