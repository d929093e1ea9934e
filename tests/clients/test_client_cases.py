"""Cases are pairs: one deviation at one place, and the conforming answer that is the same apart from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from answers import read_body, read_completion
from case_building import Case, built, conforming, oracle_of, sources
from judging_replies import faults, folded, reply_of, values_of, written
from outcomes import agrees, judged
from rewriting import unfolded
from runs import job_of

from isogloss.validator import captures
from isogloss.validator.exchange import Exchange

pytestmark = pytest.mark.thorough

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return built(sources())[0]


def test_there_are_at_least_three_hundred_of_both_modes(cases: dict[str, Case]) -> None:
    assert len(cases) >= 300
    assert len([case for case in cases.values() if case.mode == "stream"]) >= 120
    assert len([case for case in cases.values() if case.mode == "answer"]) >= 120


def test_every_twin_conforms_but_for_notes_and_lacks_the_finding_of_its_case(cases: dict[str, Case]) -> None:
    for case in cases.values():
        found = faults(case.twin)
        assert [one for one in found if one.severity != "note"] == [], case.name
        assert case.rule not in {one.rule for one in found}, case.name


def test_every_case_has_another_rule_place_or_value(cases: dict[str, Case]) -> None:
    assert len({case.key for case in cases.values()}) == len(cases)
    entries = [case.entry() for case in cases.values()]
    assert all(("value" in entry) != ("absent" in entry) for entry in entries)


def test_the_oracle_of_a_case_is_what_both_folds_read_in_its_twin(cases: dict[str, Case]) -> None:
    for case in cases.values():
        if "error" not in case.oracle:
            assert read_body(b"".join(case.twin.pieces), case.twin.content_type) == case.oracle, case.name
            assert read_completion(folded(case.twin)) == case.oracle, case.name


def test_a_client_that_gives_what_the_oracle_says_is_seen_to_be_the_same(cases: dict[str, Case]) -> None:
    for case in cases.values():
        right = (
            {"raised": {"class": "E", "message": case.oracle["error"]}}
            if "error" in case.oracle
            else {"ok": case.oracle}
        )
        assert agrees(right, case.oracle), case.name
        assert judged(right, case.oracle, case.sent) is None, case.name


def test_no_case_says_anything_of_the_machine_or_the_time(cases: dict[str, Case]) -> None:
    again = built(sources()[::9])[0]
    both = again.keys() & cases.keys()
    assert len(both) > 20
    assert all((again[name].reply, again[name].twin) == (cases[name].reply, cases[name].twin) for name in both)


def test_conforming_answers_of_unusual_forms_are_cases_without_a_rule() -> None:
    found = conforming()
    assert found["conforming/two-choices-interleaved-stream"].oracle_of_twin["choices"] is None
    assert len(found["conforming/two-choices-interleaved-stream"].oracle["choices"]) == 2
    assert {case.rule for case in found.values()} == {None}


@pytest.mark.parametrize("file", sorted((FIXTURES / "conforming" / "stream").glob("*.sse")), ids=lambda file: file.stem)
def test_the_second_fold_agrees_with_isogloss_on_conforming_streams(file: Path) -> None:
    with file.open("rb") as stream:
        (exchange,) = captures.read(captures.Capture(stream, file.name))
    assert isinstance(exchange, Exchange)
    reply = reply_of(exchange)
    if file.stem.startswith("audio"):  # isogloss gives a spoken answer the finish reason that its stream lacks
        return
    assert read_body(b"".join(reply.pieces), "text/event-stream") == read_completion(folded(reply))


def test_a_completion_written_as_a_stream_folds_into_the_same_answer() -> None:
    for file in sorted((FIXTURES / "conforming" / "completion").glob("*.json")):
        with file.open("rb") as stream:
            (exchange,) = captures.read(captures.Capture(stream, file.name))
        assert isinstance(exchange, Exchange)
        whole = values_of(reply_of(exchange))
        streamed = written(unfolded(whole))
        if (said := oracle_of(reply_of(exchange))) is not None:
            assert agrees({"ok": oracle_of(streamed)}, said), file.name


def test_a_job_declares_the_tools_that_the_answer_calls(cases: dict[str, Case]) -> None:
    case = cases["tool-call-index-reused/row-30-b-reused-stream"]
    job = job_of(case, case.oracle, "plain")
    (tool,) = job["tools"]
    assert (job["stream"], job["n"], tool["function"]["name"]) == (True, 1, "get_weather")
    assert tool["function"]["parameters"]["properties"] == {"city": {"type": "string"}, "unit": {"type": "string"}}
