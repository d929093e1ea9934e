"""Count which facts of a dialect the recordings of its vendors show, and which they could show."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace
from recordings import ROOT, exchanges_in, files_in

from isogloss.validator import engines
from isogloss.validator.dialects.dates import first_moment, first_moment_after
from isogloss.validator.dialects.eras import moment_of
from isogloss.validator.dialects.explanations import Explanations, observe
from isogloss.validator.dialects.model import Dialect, from_data
from isogloss.validator.dialects.payloads import KindAndPayload, is_redacted, is_redacted_in, payloads_of, values_at
from isogloss.validator.examining.examined import Examined
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.examining.subjects import needed_subjects, subjects
from isogloss.validator.pointer import pointers_and_values, steps_of

__all__ = [
    "DIALECTS", "FACTS", "CountedFact", "Recorded", "could_show", "count_facts", "exchanges_by_fact", "read_file",
    "read_recordings", "should_add", "unexplained", "without_recorder_hits",
]  # fmt: skip

DIALECTS = ROOT / "schemas/isogloss/schemas/dialects"
IGNORED = json.loads((Path(__file__).parent / "refresh_ignored.json").read_text())
VENDORS = {  # vendors in recordings whose dialect has another name
    "anthropic-compat": "anthropic",
    "azure": "azure-openai",
    "bedrock-openai": "bedrock",
    "gemini-openai": "gemini",
    "llamacpp": "llama-cpp",
    "ollama-cloud": "ollama",
}
OVERWRITTEN = {"created-zero", "stream-id-changed"}
"""Rules about values that were overwritten in ``wire-redacted`` recordings: ``created`` with 0, ids with numbers."""
FACTS = ("fingerprints", "deviations", "behaviours")


class Recorded(NamedTuple):
    """A recorded exchange: its record, its findings, and its payloads with their kinds."""

    record: dict[str, Any]
    examined: Examined
    payloads: list[KindAndPayload]


def read_recordings(folder: Path) -> dict[str, list[Recorded]]:
    """Return the examined exchanges of all files in a folder that were recorded as on the wire, by slug of dialect."""
    examiner = Examiner(engines.load())
    recordings: dict[str, list[Recorded]] = defaultdict(list)
    for path in files_in(folder):
        for slug, recording in read_file(path, examiner):
            recordings[slug].append(recording)
    return recordings


def read_file(path: Path, examiner: Examiner) -> Iterator[tuple[str, Recorded]]:
    """Yield the examined exchanges of a file that were recorded as on the wire, each with the slug of its dialect."""
    for record, exchange in exchanges_in(path):
        examined = without_recorder_hits(examiner.examine(exchange), record["fidelity"])
        slug = VENDORS.get(record["vendor"], record["vendor"])
        yield slug, Recorded(record, examined, list(payloads_of(exchange)))


def without_recorder_hits(examined: Examined, fidelity: str) -> Examined:
    """Return the exchange without the findings that the recorder caused."""
    names = OVERWRITTEN if fidelity == "wire-redacted" else ()
    observed = (observe(examined, rule_hit) for rule_hit in examined.hits)
    kept = [
        one.found for one in observed if one.rule not in names and not is_redacted_in(one.payload, one.path, one.value)
    ]
    return replace(examined, hits=kept)


def unexplained(dialect: Dialect, recordings: Iterable[Recorded]) -> list[Examined]:
    """Return the exchanges with only those findings that the dialect does not explain."""
    facts = Explanations([dialect]).facts
    return [replace(one, hits=[hit for hit in one.hits if not facts(observe(one, hit))]) for _, one, _ in recordings]


def exchanges_by_fact(dialect: Dialect, recordings: Sequence[Recorded]) -> dict[tuple[str, int], set[int]]:
    """Return for each fact, by list and index, the indexes of the recordings that show it."""
    lists_and_indexes = {
        id(fact): (name, fact_index) for name in FACTS[1:] for fact_index, fact in enumerate(getattr(dialect, name))
    }
    explanations = Explanations([dialect])
    shown: dict[tuple[str, int], set[int]] = defaultdict(set)
    for index, recording in enumerate(recordings):
        for hit in recording.examined.hits:
            for _, fact in explanations.facts(observe(recording.examined, hit)):
                shown[lists_and_indexes[id(fact)]].add(index)
    for index, fingerprint in enumerate(dialect.fingerprints):
        shown["fingerprints", index] = exchanges_with_fingerprint(fingerprint, recordings)
    return shown


class CountedFact(NamedTuple):
    """A fact of a dialect file with its list, and the indexes of the recordings that show it, and that could."""

    list_name: str
    data: dict[str, Any]
    shown_in: set[int]
    possible_in: set[int]


def count_facts(data: dict[str, Any], recordings: Sequence[Recorded]) -> Iterator[CountedFact]:
    """Yield each fact of a dialect file about answers with the recordings of its vendors that show it."""
    shown = exchanges_by_fact(from_data(data), recordings)
    for name in FACTS:
        for position, fact in enumerate(data.get(name, ())):
            could = {index for index, recording in enumerate(recordings) if could_show(name, fact, recording)}
            yield CountedFact(name, fact, shown[name, position], could | shown[name, position])


def exchanges_with_fingerprint(fingerprint: Any, recordings: Sequence[Recorded]) -> set[int]:
    """Return the indexes of the recordings that show a fingerprint."""
    return {
        index
        for index, recording in enumerate(recordings)
        if any(
            fingerprint.accepts(value)
            for value in values_at(recording.payloads, fingerprint.kinds, fingerprint.steps)
            if not is_redacted(value)
        )
    }


def could_show(name: str, fact: dict[str, Any], recording: Recorded) -> bool:
    """Return whether a recorded exchange could show a fact.

    It must be of the time of the fact, if the fact has one. The object that may have the property must exist, or what
    the rule is about, and the recorder must not have overwritten the value.
    """
    if not in_time(fact, recording):
        return False
    steps = steps_of(fact.get("at", "")) or ()
    if name == "fingerprints":
        return any(not is_redacted(value) for value in values_at(recording.payloads, frozenset(fact["in"]), steps))
    if name == "deviations":
        return any(
            isinstance(value, dict) and not is_redacted_in(payload, fact["at"], value.get(steps[-1]))
            for kind, payload in recording.payloads
            if kind in fact["in"]
            for _, value in pointers_and_values(payload, steps[:-1])
        )
    if fact["rule"] in OVERWRITTEN and recording.record["fidelity"] == "wire-redacted":
        return False
    return needed_subjects(fact["rule"]) <= subjects(recording.examined.contents)


def in_time(fact: dict[str, Any], recording: Recorded) -> bool:
    """Return whether an exchange is of the time of a fact. If the fact has one, an exchange of unknown time is not."""
    if "since" not in fact and "until" not in fact:
        return True
    exchange = recording.examined.exchange
    when = moment_of(payloads_of(exchange), exchange.recorded)
    if when is None:
        return False
    return (first_moment(fact["since"]) <= when if "since" in fact else True) and (
        when < first_moment_after(fact["until"]) if "until" in fact else True
    )


def should_add(dialect: Dialect, name: str, fact: dict[str, Any], recordings: Sequence[Recorded]) -> bool:
    """Return whether to add a drafted fact: none of requests, no ignored one, no second fingerprint at a path.

    An inherited fingerprint that the recordings do not show is no first one.
    """
    if dialect.kind == "reference" or "request" in fact.get("in", ()):
        return False
    if name == "fingerprints" and any(
        known.at == fact["at"]
        and known.kinds & set(fact["in"])
        and (not known.inherited or exchanges_with_fingerprint(known, recordings))
        for known in dialect.fingerprints
    ):
        return False
    return not any(
        {dialect.slug, "*"} & set(ignored["dialects"])
        and all(ignored[key] == fact.get(key) for key in ("rule", "at", "in") if key in ignored)
        for ignored in IGNORED
    )
