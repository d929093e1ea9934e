"""Compare new recordings with the dialects: what they contradict, confirm and add, for ``refresh_dialects.py --new``.

Any capture that isogloss reads is a recording. Its findings and the forms of its ids are compared with the facts of one
dialect: the dialect with the given slug; without a slug, the dialect that is spoken at the host of the recording; if no
dialect is known for the host, the dialect that the attribution is sure of.

A recording contradicts a fact if it could have shown the fact and does not, the dialect file has counted the fact in at
least nine of ten exchanges, and the recording shows no other known fact at the same place. It contradicts a restriction
if a request that breaks the restriction was answered with success. An exchange that does not show a fact never
contradicts it if nobody counted the fact, or if the fact is about requests, which clients write.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from recorded_facts import (
    FACTS,
    Recorded,
    could_show,
    exchanges_by_fact,
    read_file,
    should_add,
    unexplained,
    without_recorder_hits,
)

from isogloss import schemas
from isogloss.cli.descriptions.dialect_pages import fact_line
from isogloss.cli.reading import files, inputs
from isogloss.validator import engines
from isogloss.validator.dialects.attribution import UNDETERMINED
from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.dialects.infer import infer
from isogloss.validator.dialects.model import Dialect, dialect, dialects
from isogloss.validator.dialects.payloads import payloads_of
from isogloss.validator.dialects.restrictions import broken_restrictions
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.exchange import Skipped
from isogloss.validator.quoting import count_of

__all__ = ["Comparison", "compare", "read", "report_lines"]

_USUAL = 0.9
"""A dialect usually shows a fact if this share of its exchanges, or more, shows it."""
_LONGEST_LINE = 200
"""A line about a fact is cut after so many characters."""


class Comparison(NamedTuple):
    """The facts that one recording contradicts, adds and confirms, each in the words of ``dialects show``."""

    contradicts: list[str]
    adds: list[str]
    confirms: list[str]


def read(folder: Path, slug: str | None = None) -> dict[str, list[Recorded]]:
    """Return the recordings in a folder by the slug of their dialect, or under ``undetermined`` if that is unknown.

    Records of a corpus that name their vendor are read as ``refresh_dialects.py`` reads them.
    """
    examiner = Examiner(engines.load())
    explainer = AutoExplainer(dialects(), hosts=False)
    recordings: dict[str, list[Recorded]] = defaultdict(list)
    for path in files.walk([str(folder)]):
        if isinstance(path, Skipped):
            continue
        if _names_vendors(path):
            for recorded_slug, recording in read_file(Path(path), examiner):
                recordings[slug or recorded_slug].append(recording)
            continue
        for exchange in inputs.read(path):
            if not isinstance(exchange, Skipped):
                examined = without_recorder_hits(examiner.examine(exchange), "wire")
                speaks = explainer.explain(examined).speaks
                recording = Recorded({"fidelity": "wire", "speaks": speaks}, examined, list(payloads_of(exchange)))
                recordings[slug or _dialect_at_host(exchange.host) or speaks].append(recording)
    return recordings


def _names_vendors(path: str) -> bool:
    if not path.endswith(".jsonl"):
        return False
    with open(path, "rb") as stream:
        try:
            first = orjson.loads(stream.readline())
        except orjson.JSONDecodeError:
            return False
    return isinstance(first, dict) and {"vendor", "provenance", "fidelity"} <= first.keys()


def _dialect_at_host(host: str | None) -> str | None:
    return next((known.slug for known in dialects() if host and known.speaks_at(host)), None)


def compare(known_dialect: Dialect, recording: Recorded) -> Comparison:
    """Compare one recording with a dialect."""
    shown_in = exchanges_by_fact(known_dialect, [recording])
    shown: list[tuple[str, dict[str, Any]]] = []
    missed: list[tuple[str, dict[str, Any]]] = []
    for name in FACTS:
        for index, fact in enumerate(known_dialect.data[name]):
            if shown_in[name, index]:
                shown.append((name, fact))
            elif _is_usual(fact) and _could_contradict(name, fact, recording):
                missed.append((name, fact))
    shown_paths = {(kind, fact["at"]) for _, fact in shown for kind in fact.get("in", ())}
    contradicted = [
        named_fact
        for named_fact in missed
        if not any((kind, named_fact[1]["at"]) in shown_paths for kind in named_fact[1].get("in", ()))
    ]
    refused, answered = _restrictions(known_dialect, recording)
    return Comparison(
        contradicts=[*(_cut_fact_line(*named_fact) for named_fact in contradicted), *answered],
        adds=[_cut_fact_line(name, fact) for name, fact in _new_facts(known_dialect, recording, shown_paths)],
        confirms=[*(_cut_fact_line(*named_fact) for named_fact in shown), *refused],
    )


def _cut_fact_line(name: str, fact: Mapping[str, Any]) -> str:
    line = f"{name[:-1]} {fact_line(fact)}"
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"


def _could_contradict(name: str, fact: dict[str, Any], recording: Recorded) -> bool:
    return fact.get("in") != ["request"] and could_show(name, fact, recording)


def _is_usual(fact: Mapping[str, Any]) -> bool:
    shown, possible = fact.get("seen", (0, 1))
    return bool(shown / possible >= _USUAL)


def _restrictions(known_dialect: Dialect, recording: Recorded) -> tuple[list[str], list[str]]:
    """Return the restrictions that a request breaks, as two lists.

    They are in the first list if the request was refused, and in the second if it was answered with success.
    """
    exchange = recording.examined.exchange
    status = exchange.http.status
    if exchange.request is None or status is None:
        return [], []
    broken = {id(violation.restriction) for violation in broken_restrictions(known_dialect, exchange.request.value)}
    broken_lines = [
        _cut_fact_line("restrictions", known_dialect.data["restrictions"][index])
        for index, restriction in enumerate(known_dialect.restrictions)
        if id(restriction) in broken and restriction.effect == "rejected"
    ]
    return (broken_lines, []) if status in (400, 422) else ([], broken_lines if status < 300 else [])


def _new_facts(
    known_dialect: Dialect, recording: Recorded, shown_paths: Collection[tuple[str, str]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield facts for what the dialect does not explain, and for forms of ids at paths where it has no such form."""
    drafted = infer(unexplained(known_dialect, [recording]))
    for name in FACTS:
        for fact in getattr(drafted, name):
            if name == "fingerprints":
                is_added = not any((kind, fact["at"]) in shown_paths for kind in fact["in"])
            else:
                is_added = should_add(known_dialect, name, fact, [recording])
            if is_added:
                data = {key: value for key, value in fact.items() if key != "seen"}
                yield name, {**data, "source": "this recording"}


def report_lines(recordings: Mapping[str, Iterable[Recorded]], *, verbose: bool = False) -> Iterator[str]:
    """Yield the lines of the report: each recording, and then for each dialect the number of recordings with a line."""
    totals: dict[str, tuple[int, Counter[str]]] = {}
    for slug, dialect_recordings in sorted(recordings.items()):
        if slug not in schemas.dialects():
            yield from (
                f"{_exchange_name(recording)}: nobody's for sure; name the dialect" for recording in dialect_recordings
            )
            continue
        known_dialect, count, total = dialect(slug), 0, Counter[str]()
        for recording in dialect_recordings:
            compared = compare(known_dialect, recording)._asdict()
            count += 1
            counts = ", ".join(f"{verb} {len(facts)}" for verb, facts in compared.items())
            yield f"{_exchange_name(recording)} ({slug}{_other_dialect(recording, slug)}): {counts}"
            for verb, facts in compared.items():
                total.update(f"{verb:<12} {line}" for line in facts)
                if verb != "confirms" or verbose:
                    yield from (f"    {verb:<12} {line}" for line in facts)
        totals[slug] = count, total
    for slug, (count, total) in totals.items():
        yield f"\n{slug}: {count_of(count, 'recording')}"
        yield from (f"    {times:>4} {line}" for line, times in sorted(total.items(), key=_sort_key))


def _sort_key(line_and_count: tuple[str, int]) -> tuple[int, int, str]:
    line, times = line_and_count
    return Comparison._fields.index(line.split()[0]), -times, line


def _other_dialect(recording: Recorded, slug: str) -> str:
    """Return a text with the dialect that the evidence in a recording surely shows, if that is another one."""
    speaks = recording.record.get("speaks", slug)
    return f"; it speaks {speaks}" if speaks not in (slug, UNDETERMINED) else ""


def _exchange_name(recording: Recorded) -> str:
    exchange = recording.examined.exchange
    return f"{exchange.file}, exchange {exchange.number}"
