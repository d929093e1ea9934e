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
from refresh_dialects import FACTS, Recorded, could_show, explained, genuine, is_new, printed, recorded, unexplained

from isogloss import schemas
from isogloss.cli import files, inputs
from isogloss.cli.dialect_pages import fact_line
from isogloss.validator import engines
from isogloss.validator.dialects.attribution import UNDETERMINED
from isogloss.validator.dialects.infer import infer
from isogloss.validator.dialects.model import Dialect, dialect, dialects
from isogloss.validator.dialects.paths import documents
from isogloss.validator.dialects.restrictions import broken_restrictions
from isogloss.validator.dialects.speakers import AutoSpeaker
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.exchange import Skipped

__all__ = ["Comparison", "compared", "lines", "read"]

_USUAL = 0.9
"""A dialect usually shows a fact if this share of its exchanges, or more, shows it."""
_LONGEST = 200
"""The most characters of a line about a fact."""


class Comparison(NamedTuple):
    """The facts that one recording contradicts, confirms and adds, each in the words of ``dialects show``."""

    contradicts: list[str]
    confirms: list[str]
    adds: list[str]


def read(folder: Path, slug: str | None = None) -> dict[str, list[Recorded]]:
    """Return the recordings in a folder by the slug of their dialect; those of an unknown one under ``undetermined``.

    Records of a corpus that name their vendor are read as ``refresh_dialects.py`` reads them.
    """
    examiner = Examiner(engines.load())
    speaker = AutoSpeaker(dialects(), hosts=False)
    found: dict[str, list[Recorded]] = defaultdict(list)
    for path in files.walk([str(folder)]):
        if isinstance(path, Skipped):
            continue
        if _names_vendors(path):
            for recorded_slug, item in recorded(Path(path), examiner):
                found[slug or recorded_slug].append(item)
            continue
        for exchange in inputs.read(path):
            if not isinstance(exchange, Skipped):
                examined = genuine(examiner.examine(exchange), "wire")
                speaks = speaker.explain(examined).speaks
                item = Recorded({"fidelity": "wire", "speaks": speaks}, examined, list(documents(exchange)))
                found[slug or _dialect_at_host(exchange.host) or speaks].append(item)
    return found


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


def compared(whole: Dialect, item: Recorded) -> Comparison:
    """Compare one recording with a dialect."""
    explained_items = explained(whole, [item])
    shown: list[tuple[str, dict[str, Any]]] = []
    missed: list[tuple[str, dict[str, Any]]] = []
    for name in FACTS:
        for number, fact in enumerate(whole.data[name]):
            is_shown = name == "fingerprints" and printed(whole.fingerprints[number], [item])
            if is_shown or explained_items[name, number]:
                shown.append((name, fact))
            elif _is_usual(fact) and fact.get("in") != ["request"] and could_show(name, fact, item):
                missed.append((name, fact))
    shown_places = {(kind, fact["at"]) for _, fact in shown for kind in fact.get("in", ())}
    contradicted = [
        one for one in missed if not any((kind, one[1]["at"]) in shown_places for kind in one[1].get("in", ()))
    ]
    refused, answered = _restrictions(whole, item)
    return Comparison(
        [*(_line(*one) for one in contradicted), *answered],
        [*(_line(*one) for one in shown), *refused],
        [_line(name, fact) for name, fact in _new_facts(whole, item, shown_places)],
    )


def _line(name: str, fact: Mapping[str, Any]) -> str:
    line = f"{name[:-1]} {fact_line(fact)}"
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _is_usual(fact: Mapping[str, Any]) -> bool:
    shown, of = fact.get("seen", (0, 1))
    return bool(shown / of >= _USUAL)


def _restrictions(whole: Dialect, item: Recorded) -> tuple[list[str], list[str]]:
    """Return the restrictions that a request does not keep, by whether it was refused or answered with success."""
    exchange = item.examined.exchange
    status = exchange.response.status if exchange.response is not None else None
    if exchange.request is None or status is None:
        return [], []
    broken = {id(one.restriction) for one in broken_restrictions(whole, exchange.request.value)}
    broken_lines = [
        _line("restrictions", whole.data["restrictions"][number])
        for number, one in enumerate(whole.restrictions)
        if id(one) in broken and one.effect == "rejected"
    ]
    return (broken_lines, []) if status in (400, 422) else ([], broken_lines if status < 300 else [])


def _new_facts(
    whole: Dialect, item: Recorded, shown_places: Collection[tuple[str, str]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what the dialect does not explain as facts, and forms of ids at places where it knows no such form."""
    drafted = infer(unexplained(whole, [item]))
    for name in FACTS:
        for fact in getattr(drafted, name):
            if name == "fingerprints":
                is_added = not any((kind, fact["at"]) in shown_places for kind in fact["in"])
            else:
                is_added = is_new(dict(whole.data), name, fact, whole.data[name])
            if is_added:
                kept = {key: value for key, value in fact.items() if key != "seen"}
                yield name, {**kept, "source": "this recording"}


def lines(found: Mapping[str, Iterable[Recorded]], *, verbose: bool = False) -> Iterator[str]:
    """Yield the report: each recording, and then for each dialect in how many of its recordings a line stood."""
    totals: dict[str, tuple[int, Counter[str]]] = {}
    for slug, items in sorted(found.items()):
        if slug not in schemas.dialects():
            yield from (f"{_place(item)}: nobody's for sure; name the dialect" for item in items)
            continue
        whole, count, total = dialect(slug), 0, Counter[str]()
        for item in items:
            comparison = compared(whole, item)
            count += 1
            counts = ", ".join(f"{verb} {len(what)}" for verb, what in _fact_lists(comparison))
            yield f"{_place(item)} ({slug}{_other_dialect(item, slug)}): {counts}"
            for verb, what in _fact_lists(comparison):
                total.update(f"{verb:<12} {line}" for line in what)
                if verb != "confirms" or verbose:
                    yield from (f"    {verb:<12} {line}" for line in what)
        totals[slug] = count, total
    for slug, (count, total) in totals.items():
        yield f"\n{slug}: {count} recording{'s' * (count != 1)}"
        yield from (f"    {times:>4} {line}" for line, times in sorted(total.items(), key=_sort_key))


def _fact_lists(comparison: Comparison) -> list[tuple[str, list[str]]]:
    return [("contradicts", comparison.contradicts), ("adds", comparison.adds), ("confirms", comparison.confirms)]


def _sort_key(line_and_count: tuple[str, int]) -> tuple[int, int, str]:
    line, times = line_and_count
    return ("contradicts", "adds", "confirms").index(line.split()[0]), -times, line


def _other_dialect(item: Recorded, slug: str) -> str:
    """Name the dialect that the evidence in a recording surely speaks for, where that is another one."""
    speaks = item.record.get("speaks", slug)
    return f"; it speaks {speaks}" if speaks not in (slug, UNDETERMINED) else ""


def _place(item: Recorded) -> str:
    exchange = item.examined.exchange
    return f"{exchange.file}, exchange {exchange.number}"
