"""Test the rules about answers to the same request: what is a difference, and how much it matters."""

from __future__ import annotations

from typing import Any

import pytest
from payloads import REQUEST
from rule_hits import CALL, completion_of, found, hits_of, messages

from isogloss.validator import rules
from isogloss.validator.exchange import Exchange, HttpFacts, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules.twinning import AnswerFault, Relation, TwinAnswer, Twins
from isogloss.validator.text import Text
from isogloss.validator.views import Completion, Request


def _twins(*requests: dict[str, Any], calls: int = 1, content: str = "It is sunny.") -> Twins:
    """Return an answer with calls on one side, and one without them on the other."""

    def answer(completion: Completion) -> TwinAnswer:
        exchange = Exchange("f", 0, Text(b""))
        return TwinAnswer(exchange, completion, streamed=False, refused=False, faults={})

    request = REQUEST | {"tools": [{"type": "function", "function": {"name": "look_up"}}]}
    for one in requests:
        request |= one
    left, right = completion_of({"tool_calls": [CALL] * calls, "content": None}), completion_of({"content": content})
    return Twins(Request(request), [answer(left)], [answer(right)], "stream")


@pytest.mark.parametrize(
    ("options", "content", "severity"),
    [
        ({}, "It is sunny.", Severity.NOTE),
        ({"temperature": 0.7}, "It is sunny.", Severity.NOTE),
        ({"temperature": 0}, "It is sunny.", Severity.WARNING),
        ({"tool_choice": "required"}, "It is sunny.", Severity.ERROR),
        ({}, 'I call {"name": "look_up"}.', Severity.ERROR),
        ({}, "<function=look_up>", Severity.ERROR),
        ({}, "look_up()", Severity.ERROR),
        ({}, "I could look_up the weather.", Severity.NOTE),
    ],
)
def test_a_call_on_one_side_matters_as_much_as_it_is_no_chance(
    options: dict[str, Any], content: str, severity: Severity
) -> None:
    assert found("twin-calls-differ", _twins(options, content=content)) == [
        ("0 calls streamed, 1 call not streamed", severity)
    ]


@pytest.mark.parametrize(
    ("name", "is_found"),
    [
        ("arguments-not-json", True), ("content-not-json", True), ("answer-missing", False),
        ("asked-usage-missing", False), ("service-tier-absent", False), ("usage-null-missing", False),
        ("usage-unasked", False), ("calls-with-stop", False), ("choice-count-mismatch", False),
        ("finish-reason-without-calls", False), ("forced-call-missing", False), ("logprobs-missing", False),
        ("stop-with-tool-calls", False), ("usage-absent", False),
    ],
)  # fmt: skip
def test_a_fault_on_one_side_is_reported_once(name: str, *, is_found: bool) -> None:
    twins = _twins()
    at = ("choices", 0, "message", "content")
    faulty = twins.left[0]._replace(faults={name: AnswerFault(Severity.ERROR, at)})
    assert bool(messages("twin-fault-one-sided", twins._replace(left=[faulty]))) is is_found


@pytest.mark.parametrize(
    ("left", "right", "is_found"), [(1, True, True), (1, 1.5, False), ("1", 1, True), (None, 1, False), ([], {}, True)]
)
def test_a_value_of_another_type_on_each_side_is_found(left: object, right: object, *, is_found: bool) -> None:
    twins = _twins()
    for side, value in ((twins.left, left), (twins.right, right)):
        assert side[0].completion is not None
        side[0].completion.value.update({"choices": [], "seconds": value})
    assert bool(messages("twin-type-differs", twins)) is is_found


@pytest.mark.parametrize(
    "name",
    ["annotations", "audio", "content", "function_call", "obfuscation", "refusal", "role", "tool_calls", "thoughts"],
)
def test_a_property_that_the_model_decides_on_is_no_other_name_of_one(name: str) -> None:
    twins = _twins()
    for side, message in ((twins.left, {name: "x"}), (twins.right, {"reasoning_content": "x"})):
        assert side[0].completion is not None
        side[0].completion.value["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
    assert bool(messages("twin-properties-differ", twins)) is (name == "thoughts")


@pytest.mark.parametrize(
    ("options", "is_found"),
    [
        ({}, True),
        ({"web_search_options": {}}, False),
        ({"plugins": [{"id": "web"}]}, False),
        ({"tools": [{"type": "web_search"}]}, False),
        ({"tools": [{"type": "function", "function": {"name": "look_up"}}]}, True),
    ],
)
def test_prompt_tokens_are_compared_unless_the_server_adds_to_the_prompt(
    options: dict[str, Any], *, is_found: bool
) -> None:
    twins = _twins(options)
    for side, tokens in ((twins.left, 8), (twins.right, 9)):
        assert side[0].completion is not None
        side[0].completion.value["usage"] = {"prompt_tokens": tokens, "completion_tokens": 1}
    assert bool(found("twin-usage-differs", twins)) is is_found


@pytest.mark.parametrize(
    ("reasons", "severity"),
    [
        (("stop", "function_call"), Severity.ERROR),
        (("stop", "tool_calls"), Severity.ERROR),
        (("stop", "end_turn"), Severity.ERROR),
        (("stop", None), Severity.WARNING),
        (("stop", "length"), Severity.NOTE),
        (("stop", "stop"), None),
    ],
)
def test_another_finish_reason_matters_as_much_as_it_is_no_chance(
    reasons: tuple[object, object], severity: Severity | None
) -> None:
    twins = _twins()
    for side, reason in zip((twins.left, twins.right), reasons, strict=True):
        assert side[0].completion is not None
        choice = {"index": 0, "message": {"role": "assistant", "content": "Ho"}, "finish_reason": reason}
        side[0].completion.value["choices"] = [choice]
    severities = [severe for _, severe in found("twin-finish-differs", twins)]
    assert severities == ([] if severity is None else [severity])


def test_a_property_of_a_choice_on_one_side_is_found_where_it_stands() -> None:
    twins = _twins()
    choice = {"index": 0, "message": {"role": "assistant", "content": "Ho"}}
    for side, more in ((twins.left, {"finish_reason": "stop"}), (twins.right, {"stop_reason": "x"})):
        assert side[0].completion is not None
        side[0].completion.value["choices"] = [choice | more]
    found_at = [hit.pointer for hit in hits_of("twin-properties-differ", twins)]
    assert found_at == [("choices", 0, "stop_reason")]


@pytest.mark.parametrize("reason", ["tool_calls", "function_call"])
def test_a_finish_reason_that_comes_from_calls_is_reported_with_the_calls(reason: str) -> None:
    twins = _twins()
    for side, finish in ((twins.left, reason), (twins.right, "stop")):
        assert side[0].completion is not None
        (choice,) = side[0].completion.value["choices"]
        side[0].completion.value["choices"] = [choice | {"finish_reason": finish}]
    assert not messages("twin-finish-differs", twins)
    assert messages("twin-calls-differ", twins)


@pytest.mark.parametrize(
    ("status", "words"),
    [(400, "refused with 400 streamed, answered not streamed"), (None, "refused streamed, answered not streamed")],
)
def test_a_refusal_on_one_side_is_reported_with_its_status_if_that_is_known(status: int | None, words: str) -> None:
    twins = _twins()
    exchange = Exchange("f", 0, Text(b""), http=HttpFacts(status))
    refusals = [twins.right[0]._replace(exchange=exchange, refused=True)]
    assert messages("twin-status-differs", twins._replace(right=refusals)) == [words]
    ((_, severity),) = found("twin-status-differs", twins._replace(right=refusals, distinction="repeat"))
    assert severity is Severity.NOTE


def _sides(
    left: dict[str, Any], right: dict[str, Any], distinction: Relation = "stream", *, count: int = 1, **options: Any
) -> Twins:
    """Return answers whose messages, or own properties, have these values on each side."""

    def answers(changes: dict[str, Any], *, streamed: bool) -> list[TwinAnswer]:
        changes = dict(changes)
        faults, choice = changes.pop("faults", {}), changes.pop("choice", {})
        completion = completion_of(changes.pop("message", {}), **changes)
        for one in completion.value["choices"]:
            one |= choice
        request = Payload("request", REQUEST | options, Text(b""))
        exchange = Exchange("f", 0, Text(b""), request=request)
        return [TwinAnswer(exchange, completion, streamed=streamed, refused=False, faults=faults)] * count

    of_right = answers(right, streamed=distinction == "stream")
    return Twins(Request(REQUEST | options), answers(left, streamed=False), of_right, distinction)


def _calls(*names: str) -> dict[str, Any]:
    calls = [CALL | {"function": {"name": name, "arguments": "{}"}} for name in names]
    return {"message": {"content": None, "tool_calls": calls}}


def _fault(pointer: Pointer, severity: Severity = Severity.ERROR) -> dict[str, Any]:
    return {"faults": {"tool-call-id-empty": AnswerFault(severity, pointer)}}


ASKING = {"include_usage": True}
CONTENT = ("choices", 0, "message", "content")
TOOL = {"tools": [{"type": "function", "function": {"name": "f"}}]}
BY_NAME = TOOL | {"tool_choice": {"type": "function", "function": {"name": "f"}}}
AS_TEXT = {"message": {"content": "f()"}}
CUT_TEXT = AS_TEXT | {"choice": {"finish_reason": "length"}}
NO_USAGE = {"usage": None}
COUNT_OF_8, COUNT_OF_9 = ({"usage": {"prompt_tokens": tokens}} for tokens in (8, 9))
TOKENS = {"choice": {"logprobs": {"content": [{"token": "Ho"}]}}}
MESSAGE = "choices/0/message"
LIMIT_REACHED = {"faults": {"length-masked": AnswerFault(Severity.WARNING, ("choices", 0, "finish_reason"))}}
"""A fault that shows only beside a usage."""


@pytest.mark.parametrize(
    ("rule", "twins", "expected"),
    [
        # properties
        ("twin-properties-differ", _sides({"extra": 1}, {}, "capture"), {"extra": Severity.NOTE}),
        ("twin-properties-differ", _sides({}, {"extra": 1}, "capture"), {"extra": Severity.NOTE}),
        ("twin-properties-differ", _sides({"extra": 1}, {}), {"extra": Severity.NOTE}),
        ("twin-properties-differ", _sides({}, {"extra": 1}), {}),
        ("twin-properties-differ", _sides({"extra": 1}, {}, "repeat"), {}),
        ("twin-properties-differ", _sides({"extra": 1}, {"choices": []}), {}),
        ("twin-properties-differ", _sides({"extra": 1}, {"extra": {}}), {"extra": Severity.NOTE}),
        ("twin-properties-differ", _sides(NO_USAGE, {}, "capture"), {"usage": Severity.WARNING}),
        ("twin-properties-differ", _sides({}, NO_USAGE), {}),
        ("twin-properties-differ", _sides(NO_USAGE, {}, stream_options=ASKING), {"usage": Severity.WARNING}),
        ("twin-properties-differ", _sides({}, TOKENS, logprobs=True), {"choices/0/logprobs": Severity.WARNING}),
        ("twin-properties-differ", _sides({}, TOKENS), {}),
        ("twin-properties-differ", _sides({}, {"choice": {"message": None}}), {}),
        (
            "twin-properties-differ",
            _sides({"message": {"thoughts": "x", "refusal": "x"}}, {"message": {"reasoning": "x", "audio": "x"}}),
            {f"{MESSAGE}/reasoning": Severity.WARNING},
        ),
        # faults
        ("twin-fault-one-sided", _sides(_fault(CONTENT), {}), {f"{MESSAGE}/content": Severity.WARNING}),
        ("twin-fault-one-sided", _sides({}, _fault(CONTENT), count=4), {f"{MESSAGE}/content": Severity.ERROR}),
        ("twin-fault-one-sided", _sides(_fault(CONTENT), {}, "repeat"), {}),
        ("twin-fault-one-sided", _sides(_fault(CONTENT, Severity.NOTE), {}), {}),
        ("twin-fault-one-sided", _sides(_fault(("usage", "prompt_tokens")), NO_USAGE), {}),
        ("twin-fault-one-sided", _sides(_fault(("usage",)), NO_USAGE), {}),
        ("twin-fault-one-sided", _sides(_fault(("usage",)), {}), {"usage": Severity.WARNING}),
        ("twin-fault-one-sided", _sides(_fault(("id",)), {"choices": []}), {}),
        ("twin-fault-one-sided", _sides(LIMIT_REACHED, {}), {"choices/0/finish_reason": Severity.WARNING}),
        ("twin-fault-one-sided", _sides(LIMIT_REACHED, NO_USAGE), {}),
        # calls
        ("twin-calls-differ", _sides(_calls("f"), AS_TEXT, **TOOL), {f"{MESSAGE}/tool_calls": Severity.ERROR}),
        ("twin-calls-differ", _sides(AS_TEXT, _calls("f"), **TOOL), {f"{MESSAGE}/tool_calls": Severity.ERROR}),
        ("twin-calls-differ", _sides(_calls("f"), CUT_TEXT, **TOOL), {f"{MESSAGE}/tool_calls": Severity.WARNING}),
        ("twin-calls-differ", _sides(_calls("f"), {}, **BY_NAME), {f"{MESSAGE}/tool_calls": Severity.ERROR}),
        ("twin-calls-differ", _sides(_calls("f"), _calls("f", "f")), {f"{MESSAGE}/tool_calls": Severity.NOTE}),
        (
            "twin-calls-differ",
            _sides(_calls("f"), _calls("f", "f"), count=4),
            {f"{MESSAGE}/tool_calls": Severity.WARNING},
        ),
        ("twin-calls-differ", _sides(_calls("f"), _calls("f", "f"), count=3), {f"{MESSAGE}/tool_calls": Severity.NOTE}),
        ("twin-calls-differ", _sides(_calls("f"), _calls("f", "f"), "repeat"), {}),
        ("twin-calls-differ", _sides(_calls("f", "g"), _calls("g", "f")), {}),
        ("twin-calls-differ", _sides({}, {"choices": []}), {}),
        # counts
        ("twin-usage-differs", _sides(COUNT_OF_8, COUNT_OF_9), {"usage/prompt_tokens": Severity.WARNING}),
        ("twin-usage-differs", _sides(COUNT_OF_8, COUNT_OF_9, "capture"), {"usage/prompt_tokens": Severity.NOTE}),
        ("twin-usage-differs", _sides(COUNT_OF_8, COUNT_OF_9 | {"model": "n"}), {}),
        ("twin-usage-differs", _sides(COUNT_OF_8, {"usage": {"prompt_tokens": 0}}), {}),
        # types
        ("twin-type-differs", _sides({"x": {"a": 1}}, {"x": {"a": "1"}}), {"x/a": Severity.ERROR}),
        ("twin-type-differs", _sides({"x": [1]}, {"x": ["1"]}), {"x/0": Severity.ERROR}),
        ("twin-type-differs", _sides({"x": True}, {"x": 1}), {"x": Severity.ERROR}),
        ("twin-type-differs", _sides({"x": [1, "1"]}, {"x": ["1"]}), {}),
        ("twin-type-differs", _sides({"x": {"a": 1}}, {"x": [1]}), {"x": Severity.ERROR}),
    ],
)
def test_a_difference_is_found_where_it_is_none_of_chance_or_of_the_form(
    rule: str, twins: Twins, expected: dict[str, Severity]
) -> None:
    severity = rules.rule(rule).severity
    assert {"/".join(map(str, hit.pointer)): hit.severity or severity for hit in hits_of(rule, twins)} == expected


def test_a_property_with_another_name_is_reported_with_both_places() -> None:
    (hit,) = hits_of("twin-properties-differ", _sides({"message": {"thoughts": "x"}}, {"message": {"reasoning": "x"}}))
    assert hit.other_pointers == (("choices", 0, "message", "thoughts"),)


@pytest.mark.parametrize(
    ("left", "right", "distinction", "options", "severity"),
    [
        (1, 1, "stream", {}, Severity.NOTE),
        (1, 1, "stream", None, Severity.NOTE),
        (3, 3, "capture", {}, Severity.NOTE),
        (3, 5, "capture", {}, Severity.WARNING),
        (1, 1, "capture", {"temperature": 0}, Severity.WARNING),
        (3, 5, "repeat", {"temperature": 0}, None),
    ],
)
def test_a_difference_that_the_model_may_make_matters_more_the_less_likely_chance_is(
    left: int, right: int, distinction: Relation, options: dict[str, Any] | None, severity: Severity | None
) -> None:
    (answer,) = _twins().left
    request = None if options is None else Request(REQUEST | options)
    twins = Twins(request, [answer] * left, [answer] * right, distinction)
    assert twins.severity_if_sampled() is severity
    if options and severity:
        assert twins.severity_if_sampled(cold=False) is Severity.NOTE


@pytest.mark.parametrize(
    ("distinction", "both", "ones"),
    [
        ("stream", "b streamed, a not streamed", ["a only when not streamed", "a only when streamed"]),
        ("capture", "b in the second, a in the first", ["a only in the first", "a only in the second"]),
        ("repeat", "a in one answer, b in another", ["a only in one answer", "a only in another"]),
    ],
)
def test_sides_have_the_names_of_how_they_differ(distinction: Relation, both: str, ones: list[str]) -> None:
    twins = _twins()._replace(distinction=distinction)
    assert twins.join_sides("a", "b") == both
    assert [twins.on_one_side("a", left=left) for left in (True, False)] == ones


def test_what_a_side_has_is_what_all_its_answers_have_and_none_of_the_other_side() -> None:
    (answer,) = _twins().left
    found = {"abc": {"a", "b", "c"}, "a": {"a"}, "cd": {"c", "d"}, "d": {"d", "e"}}
    left, right = (
        [answer._replace(faults=dict.fromkeys(names)) for names in side] for side in (["abc", "a"], ["cd", "d"])
    )
    twins = Twins(None, left, right, "capture")
    assert twins.one_sided(lambda one: found["".join(one.faults)]) == ({"a"}, {"d"})
