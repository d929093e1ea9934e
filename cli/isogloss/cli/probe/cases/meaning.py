"""Describe what each standing of a case means."""

from __future__ import annotations

from collections.abc import Mapping

from isogloss.cli.probe.cases.case import Case

__all__ = ["STANDINGS", "standings"]

STANDINGS = {
    "conforms": "The answer has neither errors nor warnings, and it has what was asked for.",
    "deviates": "The answer has errors or warnings.",
    "unsupported": "The server refuses what the reference has, with a correct error.",
    "inconclusive": "Nothing is known: no whole answer came, the server was busy or failed once, or the answer does "
    "not have what the case is about.",
}
"""What each standing means, whatever the case."""

_UNANSWERED = "No whole answer came, or the server was busy or failed once"


def standings(case: Case) -> Mapping[str, str]:
    """Return what each standing means for a case; the standings that it cannot have are left out."""
    meanings = dict(STANDINGS)
    if case.refusal:
        statuses = " or ".join(map(str, case.expected))
        meanings["conforms"] = f"The request is refused with {statuses} and a correct error."
        meanings["deviates"] = "The request is answered, or refused with another status or an error of another shape."
        del meanings["unsupported"]
    elif max(case.expected) >= 400:
        code = f" with the code {case.expected_code}" if case.expected_code else ""
        answer_or = "" if case.expected_code or case.key != "right" else "answered, or "
        meanings["conforms"] = f"The request is {answer_or}refused with {max(case.expected)} and a correct error{code}."
        meanings["deviates"] = "Answer or error have errors or warnings, or the request is refused with another status."
        del meanings["unsupported"]
    if case.simplest:
        del meanings["unsupported"]
        meanings["inconclusive"] = f"{_UNANSWERED}; or it refused the request with a correct error."
    elif case.key != "right":
        meanings["inconclusive"] = "The server answers, whatever the key is."
    elif case.expected_code:
        meanings["inconclusive"] = f"{_UNANSWERED}, or it answered the request."
    elif (check := case.expects or case.compares) is not None:
        needed = (check.__doc__ or "").partition("\n")[0].rstrip(".").removeprefix("Expect ")
        answer = "the answer" if case.expects else "the second answer"
        meanings["inconclusive"] = f"{_UNANSWERED}; or {answer} does not show what the case needs: {needed}."
    return meanings
