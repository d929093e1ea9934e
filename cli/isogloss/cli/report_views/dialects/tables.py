"""Make the tables of the view of dialects, as text cells, for text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from isogloss.cli.checking.survey import Survey
from isogloss.cli.elements.places import place
from isogloss.cli.report_views.tables import Table, size_in_words
from isogloss.validator.dialects.attribution import UNDETERMINED, Attribution, Candidate
from isogloss.validator.quoting import count_of, printable

__all__ = ["evidence_lines", "heading", "tables"]

_MOST_FACTS = 10
_MOST_REASONS = 8
_LEAST_GAIN = 0.05


def heading(survey: Survey) -> str:
    """Return the report in one line."""
    unexplained = sum(row.unexplained for _, row in survey.spoken())
    return (
        f"{size_in_words(survey)}: "
        f"{count_of(len(survey.rows.keys() - {UNDETERMINED}), 'dialect')}, "
        f"{count_of(unexplained, 'unexplained deviation')}"
    )


def tables(survey: Survey) -> Iterator[Table]:
    """Return the tables of the report that have rows, in order."""
    found = (
        Table("Unexplained", "Deviations that the dialect of their exchange is not known for.",
              ("severity", "deviation", "dialect", "exchanges", "first"), _unexplained(survey)),
        Table("Dialects", "Which dialect each exchange speaks, or undetermined; and which other one it relays. "
              "Sure: exchanges with a confidence of 90 % or more. Tied: exchanges that may also speak another dialect.",
              ("dialect", "relaying", "exchanges", "sure", "tied", "explained", "unexplained", "nearest"),
              _dialects(survey)),
        Table("Explained", "Deviations that are known in the dialects that show them, and the number of exchanges.",
              ("deviation", "dialects", "first"), _explained(survey)),
        Table("Never seen", "What the dialects spoken here are known for and no exchange showed.",
              ("dialect", "facts"), [(slug, _first_facts(facts)) for slug, facts in survey.unused()]),
    )  # fmt: skip
    return (table for table in found if table.rows)


def _unexplained(survey: Survey) -> list[tuple[str, ...]]:
    return [
        (
            cell.severity.label,
            printable(str(deviation)),
            slug,
            f"{cell.unexplained:,} of {survey.rows[slug].exchanges:,}",
            place(cell.first),
        )
        for deviation, slug, cell in survey.unexplained()
    ]


def _dialects(survey: Survey) -> list[tuple[str, ...]]:
    return [
        (
            slug,
            _counts_text(row.relaying),
            f"{row.exchanges:,}",
            f"{row.sure:,}",
            f"{row.tied:,} ({', '.join(sorted(row.ties))})" if row.tied and row.sure else f"{row.tied:,}",
            f"{row.explained:,}",
            f"{row.unexplained:,}",
            _counts_text(row.nearest),
        )
        for slug, row in survey.spoken()
    ]


def _counts_text(counts: Mapping[str, int]) -> str:
    most_first = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{slug} {count:,}" for slug, count in most_first)


def _explained(survey: Survey) -> list[tuple[str, ...]]:
    return [
        (
            printable(str(deviation)),
            _counts_text({slug: cell.exchanges for slug, cell in cells.items()}),
            place(next(iter(cells.values())).first),
        )
        for deviation, cells in survey.explained()
    ]


def _first_facts(facts: Sequence[str]) -> str:
    """Return the first facts of a list. A person who looks at a few answers does not read a hundred."""
    rest = len(facts) - _MOST_FACTS
    return printable(", ".join(facts[:_MOST_FACTS])) + (
        f" and {rest} more (--format json lists them)" if rest > 0 else ""
    )


def evidence_lines(survey: Survey) -> Iterator[tuple[str, list[str]]]:
    """Yield a line for each exchange whose evidence was kept, with the lines of its tied candidates.

    The line of the exchange has its place and verdict. The line of a candidate shows what decided for or against it: by
    how much its evidence, in nats, differs from that of the best candidate that is not tied, the strongest first.
    """
    for exchange, attribution in survey.evidence:
        tied = [candidate for candidate in attribution.candidates if candidate.slug in attribution.tied]
        others = [candidate for candidate in attribution.candidates if candidate not in tied]
        lines = [_candidate_line(attribution, candidate, others[0]) for candidate in tied if others]
        yield f"{printable(exchange.file)} exchange {exchange.number}: {_describe_verdict(attribution)}", lines


def _candidate_line(attribution: Attribution, candidate: Candidate, other: Candidate) -> str:
    theirs = {fact.what: fact.weight for fact in attribution.evidence(other.slug)}
    mine = {fact.what: fact for fact in attribution.evidence(candidate.slug)}
    gains = [(fact.weight - theirs.pop(fact.what, 0.0), f"{fact.what} ({fact.how})") for fact in mine.values()]
    gains += [(-weight, f"{what} (the other's)") for what, weight in theirs.items()]
    strongest = sorted(gains, key=lambda gain: -abs(gain[0]))[:_MOST_REASONS]
    reasons = "; ".join(f"{printable(what)} {gain:+.1f}" for gain, what in strongest if abs(gain) >= _LEAST_GAIN)
    return f"{candidate.slug} {candidate.confidence:.2f} against {other.slug}: {reasons or 'nothing tells them apart'}"


def _describe_verdict(attribution: Attribution) -> str:
    """Describe which dialect an exchange surely speaks, or which ones are only nearest."""
    confidence = f"{attribution.nearest.confidence:.2f}"
    if not attribution.sure:
        nearest = f"{', '.join(attribution.tied)} ({confidence})"
        return f"undetermined; nearest: {nearest}; an unknown speaker ({attribution.stranger:.2f})"
    text = f"speaks {attribution.speaks} ({confidence})"
    if attribution.relayed is not None:
        text += f", relaying {attribution.relayed.slug} ({attribution.relayed.confidence:.2f})"
    if len(attribution.tied) > 1:
        text += f", which nothing tells apart from {', '.join(attribution.tied[1:])}"
    return text + (f", though the host belongs to {attribution.contradicts}" if attribution.contradicts else "")
