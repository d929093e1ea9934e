"""Test which forms and names many speakers use, and which values hold the name of their speaker."""

from __future__ import annotations

from typing import Any

import pytest
from dialect_examples import dialect_with_deviations, invented_dialects

from isogloss.validator.dialects.common_forms import is_common, is_name_from_elsewhere, names_speaker
from isogloss.validator.dialects.model import Fact, Fingerprint

_UUIDS = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def test_forms_of_random_numbers_and_of_other_apis_are_common() -> None:
    hexadecimal = [f"[0-9a-f]{{{length}}}" for length in (10, 16, 24, 32)]
    cut = [f"[0-9a-f]{{{length}}}" for length in (8, 12, 16, 20, 24, 32)]
    of_calls = [f"call_{form}" for form in ("[0-9]", _UUIDS, "[A-Z][A-Za-z0-9]{23}", *cut)]
    of_answers = ["[0-9]+", _UUIDS, "[A-Za-z0-9]{29}", "[A-Za-z0-9]{24}", *cut]
    others = ["[0-9]{10}", "cmpl-[0-9a-f]{32}", "chatcmpl_[0-9a-f]{12}", "fp_[0-9a-f]{10}", "[A-Za-z0-9_-]{22,23}"]
    beginnings = ["msg_.+", "toolu_.+", "resp_.+", "gpt-.+", "[a-z]+/.+"]
    common = [*hexadecimal, *of_calls, *(f"chatcmpl-{form}" for form in of_answers), *others, *beginnings, _UUIDS]
    assert [form for form in common if not is_common(_fact_about({"pattern": f"^{form}$"}))] == []
    rare = ["chatcmpl-[0-9a-f]{40}", "gen-[0-9]+", "[0-9]{13}", "fp_alpha", "$"]
    assert [form for form in rare if is_common(_fact_about({"pattern": f"^{form}$"}))] == []


def _fact_about(schema: dict[str, Any], at: str = "id") -> Fact:
    return dialect_with_deviations({"at": at, "schema": schema}).deviations[0]


def test_names_of_other_apis_and_of_requests_are_names_from_elsewhere() -> None:
    in_usage = ["input_tokens", "output_tokens", "input_tokens_details", "output_tokens_details", "cache_creation"]
    in_usage += ["cache_creation_input_tokens", "cache_read_input_tokens", "server_tool_use"]
    in_messages = [f"choices[].{part}.{name}" for part in ("message", "delta") for name in ("name", "tool_call_id")]
    for at in [*(f"usage.{name}" for name in in_usage), *in_messages]:
        assert is_name_from_elsewhere(_fact_about({"type": "null"}, at)), at
    assert not is_name_from_elsewhere(_fact_about({"type": "null"}, "usage.alpha_units"))


def test_names_of_the_errors_of_another_api_are_names_from_elsewhere_in_errors_alone() -> None:
    def fact(at: str, kind: str) -> Fact:
        return dialect_with_deviations({"in": [kind], "at": at, "schema": {"type": "string"}}).deviations[0]

    assert [at for at in ("type", "request_id", "alpha_id") if is_name_from_elsewhere(fact(at, "error"))] == [
        "type",
        "request_id",
    ]
    assert not is_name_from_elsewhere(fact("request_id", "completion"))


@pytest.mark.parametrize(
    ("at", "schema", "is_named"),
    [
        ("system_fingerprint", {"const": "fp_alpha"}, True),
        ("id", {"type": "string", "pattern": "^Alpha[0-9]+$"}, True),
        ("system_fingerprint", {"const": "fp_beta"}, False),
        ("model", {"const": "alpha-7b"}, False),
        ("model", {"pattern": "^alpha/"}, False),
        ("model", {"pattern": "^accounts/alpha/models/"}, True),
        ("system_fingerprint", {"type": "string"}, False),
    ],
)
def test_value_names_its_speaker_if_it_holds_the_name_of_the_dialect(
    at: str, schema: dict[str, object], is_named: bool
) -> None:
    alpha = next(one for one in invented_dialects() if one.slug == "alpha")
    form = Fingerprint(kinds=frozenset({"completion"}), at=at, schema=schema, confidence="recorded")
    assert names_speaker(alpha, form) is is_named
