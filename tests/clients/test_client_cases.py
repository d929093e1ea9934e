"""Tests of the cases: pairs of an answer with one deviation and its twin, the same answer without the deviation."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import case_building
import pytest
from answers import read_body, read_completion
from case_building import Case, build_cases, conforming_cases, source_files
from client_data import DATA, REPLAYED, write_cases
from comparing_replies import oracle_of
from judging_replies import findings_of, fold_reply, make_reply, reply_of, values_of
from outcomes import agrees, judge_outcome
from reading import exchange_in
from replay_server import split_events
from rewriting import unfold
from runs import job_of

pytestmark = pytest.mark.thorough

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return build_cases(source_files())[0]


def test_there_are_at_least_300_cases_and_120_of_each_mode(cases: dict[str, Case]) -> None:
    assert len(cases) >= 300
    assert len([case for case in cases.values() if case.mode == "stream"]) >= 120
    assert len([case for case in cases.values() if case.mode == "answer"]) >= 120


def test_an_error_that_is_an_array_is_replayed_as_one_document(cases: dict[str, Case]) -> None:
    reply = cases["error-shape/list"].reply
    assert (reply.status, reply.content_type) == (400, "application/json")
    assert isinstance(json.loads(b"".join(reply.pieces)), list)


def test_the_published_cases_are_those_that_the_fixtures_give(cases: dict[str, Case], tmp_path: Path) -> None:
    shutil.copy(DATA / "cases.json", tmp_path)
    shutil.copy(REPLAYED, tmp_path)
    published = [*cases.values(), *conforming_cases().values()]
    changed = write_cases(published, tmp_path, tmp_path / REPLAYED.name)
    assert not changed, "cases changed: python tests/clients/run.py --all runs the clients on them"


def test_each_twin_has_only_notes_and_not_the_finding_of_its_case(cases: dict[str, Case]) -> None:
    for case in cases.values():
        findings = findings_of(case.twin)
        assert [finding for finding in findings if finding.severity != "note"] == [], case.name
        assert case.rule not in {finding.rule for finding in findings}, case.name


def test_a_chunk_is_a_case_for_each_part_of_a_stream_that_may_have_its_deviation(cases: dict[str, Case]) -> None:
    found = [case for case in cases.values() if case.source.endswith("/unknown-value/invalid-chunk-object.json")]
    deviating = {}
    for case in found:
        objects = [chunk["object"] for chunk in values_of(case.reply) if isinstance(chunk, dict)]
        deviating[case.extent] = [value == case.value for value in objects]
    assert deviating == {
        "on every event": [True] * 5,
        "on the first event": [True, False, False, False, False],
        "on later events": [False, False, False, False, True],
    }


def test_an_error_is_also_a_case_in_which_a_stream_was_asked_for(cases: dict[str, Case]) -> None:
    modes: dict[tuple[str, bytes], set[str]] = {}
    for case in cases.values():
        if "error" in case.oracle:
            modes.setdefault((case.place, b"".join(case.reply.pieces)), set()).add(case.mode)
    assert all("stream" in found for found in modes.values())


_PING = b'data: {"type":"ping"}\n\n'


@pytest.mark.parametrize(
    ("change", "is_twin"),
    [
        (lambda events: [events[0], _PING, *events[1:]], True),
        (lambda events: [_PING, *events[:2], _PING, *events[2:]], True),
        (lambda events: [events[0], _PING, *events], False),  # an event is repeated, too
        (lambda events: [events[0], _PING, *events[2:]], False),  # and an event is missing
    ],
)
def test_a_stream_is_a_twin_only_if_all_that_its_case_has_besides_are_events_with_the_deviation(
    change: Callable[[list[bytes]], list[bytes]], is_twin: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = FIXTURES / "stream" / "event-not-chunk" / "valid-chunks.sse"
    assert _takes_as_twin(twin, b"".join(change(split_events(twin.read_bytes()))), tmp_path, monkeypatch) == is_twin


def test_a_stream_with_the_usage_that_its_case_lacks_is_no_twin_for_another_deviation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = FIXTURES / "completion" / "integer-as-float" / "valid-stream.sse"
    floats = twin.read_bytes().replace(b":1760000000,", b":1760000000.0,")
    usage = split_events(floats)[-2]
    assert _takes_as_twin(twin, floats, tmp_path, monkeypatch)
    assert not _takes_as_twin(twin, floats.replace(usage, b""), tmp_path, monkeypatch)


def _takes_as_twin(twin: Path, case: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether the case of a stream has a certain fixture as its twin."""
    monkeypatch.setattr(case_building, "ROOT", folder)
    rule_folder = folder / twin.relative_to(FIXTURES).parent
    rule_folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(twin, rule_folder)
    (rule_folder / "invalid-stream.sse").write_bytes(case)
    built = case_building.cases_from_file(rule_folder / "invalid-stream.sse")
    return not isinstance(built, str) and built[0].twin.pieces == split_events(twin.read_bytes())


def test_each_case_differs_from_the_others_in_rule_path_or_value(cases: dict[str, Case]) -> None:
    assert len({case.key for case in cases.values()}) == len(cases)
    entries = [case.entry() for case in cases.values()]
    assert all(("value" in entry) != ("absent" in entry) for entry in entries)


def test_the_oracle_of_a_case_is_what_both_folds_read_in_its_twin(cases: dict[str, Case]) -> None:
    for case in cases.values():
        if "error" not in case.oracle:
            assert read_body(b"".join(case.twin.pieces), case.twin.content_type) == case.oracle, case.name
            assert read_completion(fold_reply(case.twin)) == case.oracle, case.name


def test_a_result_equal_to_the_oracle_has_no_outcome(cases: dict[str, Case]) -> None:
    for case in cases.values():
        result = (
            {"raised": {"class": "E", "message": case.oracle["error"]}}
            if "error" in case.oracle
            else {"ok": case.oracle}
        )
        assert agrees(result, case.oracle), case.name
        assert judge_outcome(result, case.oracle, case.sent) is None, case.name


def test_cases_are_the_same_each_time_they_are_built(cases: dict[str, Case]) -> None:
    rebuilt = build_cases(source_files()[::9])[0]
    names = rebuilt.keys() & cases.keys()
    assert len(names) > 20
    assert all((rebuilt[name].reply, rebuilt[name].twin) == (cases[name].reply, cases[name].twin) for name in names)


def test_conforming_answers_of_unusual_forms_are_cases_without_a_rule() -> None:
    conforming = conforming_cases()
    assert conforming["conforming/two-choices-interleaved-stream"].oracle_of_twin["choices"] is None
    assert len(conforming["conforming/two-choices-interleaved-stream"].oracle["choices"]) == 2
    assert {case.rule for case in conforming.values()} == {None}


CONFORMING_STREAMS = sorted((FIXTURES / "conforming" / "stream").glob("*.sse"))
COMPARABLE_STREAMS = [file for file in CONFORMING_STREAMS if not file.stem.startswith("audio")]
"""Not those with audio: isogloss adds the finish reason, which they lack."""


@pytest.mark.parametrize("file", COMPARABLE_STREAMS, ids=lambda file: file.stem)
def test_the_second_fold_agrees_with_isogloss_on_conforming_streams(file: Path) -> None:
    reply = reply_of(exchange_in(file))
    assert read_body(b"".join(reply.pieces), "text/event-stream") == read_completion(fold_reply(reply))


def test_a_completion_written_as_a_stream_folds_into_the_same_answer() -> None:
    compared = 0
    for file in sorted((FIXTURES / "conforming" / "completion").glob("*.json")):
        reply = reply_of(exchange_in(file))
        stream_reply = make_reply(unfold(values_of(reply)))
        if (oracle := oracle_of(reply)) is not None:
            assert agrees({"ok": oracle_of(stream_reply)}, oracle), file.name
            compared += 1
    assert compared > 10


def test_a_job_declares_the_tools_that_the_answer_calls(cases: dict[str, Case]) -> None:
    case = cases["tool-call-index-reused/row-30-b-reused-stream"]
    job = job_of(case, case.oracle, "plain")
    (tool,) = job["tools"]
    assert (job["stream"], job["n"], tool["function"]["name"]) == (True, 1, "get_weather")
    assert tool["function"]["parameters"]["properties"] == {"city": {"type": "string"}, "unit": {"type": "string"}}
