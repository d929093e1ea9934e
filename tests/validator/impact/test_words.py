"""Test the words for what was seen of clients: which broke, in which version, and how often."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.findings import Break, Impact
from isogloss.validator.impact.words import describe_impact, describe_outcome


def _break(
    client: str = "alpha",
    version: str = "1.0",
    path: str = "plain",
    outcome: str = "raises",
    seen: str = "E: no",
    cases: int = 1,
    of: int = 1,
) -> Break:
    return Break(client, version, path, outcome, (seen,), cases, of)


def _line(*breaks: Break) -> str:
    return describe_impact(Impact("null", 1, 9, breaks))


def test_description_is_empty_if_no_client_broke() -> None:
    assert describe_impact(None) == describe_impact(Impact("null", 3, 14, ())) == ""


@pytest.mark.parametrize(
    ("breaks", "line"),
    [
        ([_break()], "alpha 1.0 (plain: raises)"),
        ([_break(outcome="hangs", seen="does not return")], "alpha 1.0 (plain: hangs)"),
        (
            [_break(outcome="silent", seen="call: 0 instead of 1"), _break("beta", "3.1")],
            "alpha 1.0 (plain: loses the call), beta 3.1 (plain: raises)",
        ),
        ([_break(), _break(path="stream")], "alpha 1.0 (plain, stream: raises)"),
        ([_break(), _break(version="2.0")], "alpha 1.0 and 2.0 (plain: raises)"),
        ([_break(version=version) for version in ("1.0", "2.0", "3.0")], "alpha 1.0, 2.0 and 3.0 (plain: raises)"),
        (
            [_break(), _break(path="parse", outcome="hangs", seen="does not return")],
            "alpha 1.0 (plain: raises; parse: hangs)",
        ),
        (
            [_break(), _break(version="2.0", outcome="silent", seen="text: 'a' instead of 'b'")],
            "alpha 1.0 (plain: raises), alpha 2.0 (plain: changes the text)",
        ),
        ([_break(cases=1, of=3)], "alpha 1.0 (plain: raises in 1 of 3 cases)"),
        (
            [_break(cases=1, of=3), _break(outcome="silent", seen="usage: none instead of 3/4", cases=2, of=3)],
            "alpha 1.0 (plain: raises in 1, loses the usage in 2 of 3 cases)",
        ),
    ],
)
def test_description_names_client_version_path_and_outcome(breaks: list[Break], line: str) -> None:
    assert _line(*breaks) == f"seen to break: {line}"


def test_description_counts_the_clients_that_it_does_not_name() -> None:
    line = _line(*(_break(f"client-{number}") for number in range(6)))
    assert line.endswith("client-3 1.0 (plain: raises) and 2 more clients")
    assert (
        describe_impact(
            Impact("null", 1, 9, tuple(_break(f"client-{number}") for number in range(6))), most=None
        ).count("(")
        == 6
    )


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        ("text: none instead of 'Hello'", "loses the text"),
        ("text: 'H' instead of 'Hello'", "changes the text"),
        ("text, call: none instead of 'a'; 0 instead of 1", "loses the text, call"),
        ("text, usage: none instead of 'a'; 9/9 instead of 3/4", "loses the text and changes the usage"),
        ("arguments: '{' instead of '{}; {}'", "changes the arguments"),
        ("usage", "changes the usage"),
    ],
)
def test_silent_difference_is_described_as_lost_or_changed(seen: str, words: str) -> None:
    assert describe_outcome([_break(outcome="silent", seen=seen)]) == words


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["1", "2"]), st.sampled_from(["p", "q"])), max_size=9)
)
def test_every_break_of_a_named_client_is_described(keys: list[tuple[str, str, str]]) -> None:
    breaks = [_break(*key) for key in sorted(set(keys))]
    line = describe_impact(Impact("null", 1, 9, tuple(breaks)), most=None)
    described = set()
    for part in re.findall(r"([a-f]) ([12](?: and [12])?) \(([pq](?:, [pq])?): raises\)", line):
        described |= {(part[0], version, path) for version in part[1].split(" and ") for path in part[2].split(", ")}
    assert described == set(keys)
