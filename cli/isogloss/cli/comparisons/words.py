"""Describe the rates and counts of a comparison in words, for every format."""

from __future__ import annotations

from isogloss.cli.comparisons.comparison import Comparison, RepeatedDifference
from isogloss.validator.comparing.change import Change
from isogloss.validator.comparing.recordings import Changes
from isogloss.validator.quoting import count_of, count_severities, printable

__all__ = ["before_and_after", "endpoint", "nothing_compared", "rates", "refused", "severities", "times"]


def times(repeated: RepeatedDifference) -> str:
    """Return how often a difference occurs, in parentheses, or an empty text if it occurs once."""
    return f" ({repeated.count} times)" if repeated.count > 1 else ""


def rates(change: Change) -> str:
    """Return the rates of a change in parentheses: both, or the only one. If it has none, return an empty text."""
    before, after = before_and_after(change)
    return f" ({before} before, {after} after)" if before else f" ({after})" if after else ""


def before_and_after(change: Change) -> tuple[str, str]:
    """Return the rates before and after, as texts.

    A change of the protocol has one rate, which counts requests: the first text is empty. For a case, both are empty.
    """
    if change.change == "case":
        return "", ""
    return "" if change.change == "protocol" else str(change.before), str(change.after)


def endpoint(changes: Changes) -> str:
    """Return a dialect and an endpoint with the number of their answers, or for two reports the number of cases."""
    name = " ".join(part for part in (changes.stratum.dialect, printable(changes.stratum.endpoint)) if part)
    if not changes.stratum.dialect:
        return f"{count_of(changes.before, 'case')} before and {changes.after} after"
    return f"{name}, {count_of(changes.before, 'answer')} before and {changes.after} after"


def refused(comparison: Comparison) -> list[str]:
    """Return for each recording that refuses requests of the other one how many, and that they are not compared."""
    return [
        f"{count_of(count, 'request')} {'was' if count == 1 else 'were'} refused only in {printable(recording.path)}, "
        "because of the key, the account, the model, the endpoint or the load, and not compared"
        for recording, count in zip(comparison.recordings, comparison.refused, strict=False)
        if count
    ]


def severities(comparison: Comparison) -> str:
    """Return in words how many differences or changes of each severity there are."""
    if not comparison.groups:
        return "nothing was compared"
    counts = count_severities(comparison.severities.elements())
    return counts or ("no twins differ" if comparison.question == "twins" else "nothing changed")


def nothing_compared(comparison: Comparison) -> str:
    """Return why nothing was compared, and what the user can do."""
    if any(comparison.refused):
        return "no request has an answer in both captures"
    without = [recording.path for recording in comparison.recordings if not recording.answer_count]
    if without:
        where = f" in {printable(without[0])}" if len(without) < len(comparison.recordings) else ""
        return f"no answer was found{where} that could be compared"
    if len(comparison.recordings) == 1:
        return "no two answers are to the same request; name two captures to compare them with each other"
    return "no request and no case is in both captures; --pair-by none compares all answers with each other"
