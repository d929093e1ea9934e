"""The picture of the verdict: how many exchanges speak each dialect and how surely, and who shows which deviation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from isogloss.cli.report_views.survey import BANDS, GIVEN, Cell, Deviation, Row, Survey
from isogloss.validator.dialects.attribution import UNDETERMINED
from isogloss.validator.quoting import count_of, printable

__all__ = ["Heat", "Picture", "heat", "picture"]

_MOST_ROWS, _MOST_COLUMNS = 24, 14
_STEPS = 5


class Segment(NamedTuple):
    """A part of a bar: its class, its label, and its width in percent of the longest bar."""

    level: str
    label: str
    width: int


class Bar(NamedTuple):
    """The exchanges of one dialect."""

    slug: str
    exchanges: int
    label: str
    segments: list[Segment]


class HeatCell(NamedTuple):
    """The share of a dialect's exchanges that show a deviation; ``step`` is how dark it is, ``letter`` how severe."""

    share: str
    level: str
    step: int
    letter: str
    label: str


class HeatRow(NamedTuple):
    """A deviation and its cells, ``None`` where a dialect does not show it."""

    rule: str
    what: str
    anchor: str
    cells: list[HeatCell | None]


class Heat(NamedTuple):
    """A heat map; ``left_out`` is what it does not show, in words."""

    slugs: list[tuple[str, int]]
    rows: list[HeatRow]
    left_out: str


class Picture(NamedTuple):
    """The bars of dialects, that of what is undetermined with a scale of its own, their key, and the heat map.

    ``unnamed`` says how many exchanges are undetermined, and how near they come to a dialect.
    """

    bars: list[Bar]
    undetermined: Bar | None
    unnamed: str
    key: list[tuple[str, str]]
    heat: Heat


def picture(survey: Survey, anchors: Mapping[Deviation, str]) -> Picture | None:
    """Return the picture of a survey, or ``None`` if the survey is empty.

    ``anchors`` are the names within the page of the entries of deviations.
    """
    if not survey.rows:
        return None
    named = [(slug, row) for slug, row in survey.spoken() if slug != UNDETERMINED]
    longest = max((row.exchanges for _, row in named), default=1)
    bars = [_bar(slug, row, longest) for slug, row in named]
    unnamed = survey.rows.get(UNDETERMINED)
    undetermined = None if unnamed is None else _bar(UNDETERMINED, unnamed, unnamed.exchanges)
    levels = {one.level for bar in (*bars, undetermined) if bar is not None for one in bar.segments}
    key = [(level, label) for level, label in (*BANDS.values(), GIVEN) if level in levels]
    return Picture(
        bars,
        undetermined,
        _unnamed(undetermined, survey.exchanges),
        key,
        heat(survey, anchors, rows=_MOST_ROWS, columns=_MOST_COLUMNS),
    )


def _unnamed(bar: Bar | None, exchanges: int) -> str:
    if bar is None:
        return ""
    if exchanges == 1:
        whose = "The exchange shows"
    elif bar.exchanges == exchanges:
        whose = f"All {exchanges:,} exchanges show"
    else:
        whose = f"{bar.exchanges:,} of {exchanges:,} exchanges show"
    return f"{whose} nothing that tells a dialect surely. Confidence in the nearest one: {bar.label}."


def _bar(slug: str, row: Row, longest: int) -> Bar:
    segments = [
        Segment(level, f"{row.bands[level]:,} {label}", max(1, round(100 * row.bands[level] / longest)))
        for level, label in (*BANDS.values(), GIVEN)
        if row.bands[level]
    ]
    return Bar(slug, row.exchanges, ", ".join(one.label for one in segments), segments)


def heat(survey: Survey, anchors: Mapping[Deviation, str], *, rows: int | None, columns: int | None) -> Heat:
    """Return the heat map with at most so many rows and columns, the most severe and frequent deviations first."""
    spoken = survey.spoken()
    slugs = [(slug, row.exchanges) for slug, row in spoken if row.explained or row.unexplained]
    order = sorted(survey.cells.items(), key=_weight)
    shown, used = order[:rows], slugs[:columns]
    if used and len(used) < len(slugs) and slugs[-1][0] == UNDETERMINED:
        used[-1] = slugs[-1]
    more = [
        count_of(len(whole) - len(part), one)
        for whole, part, one in ((order, shown, "deviation"), (slugs, used, "dialect"))
        if len(whole) > len(part)
    ]
    return Heat(
        used,
        [
            HeatRow(
                deviation.rule,
                f"{deviation.kind} {printable(deviation.path)}".strip(),
                anchors.get(deviation, ""),
                [_cell(survey, slug, cells.get(slug)) for slug, _ in used],
            )
            for deviation, cells in shown
        ],
        " and ".join(more),
    )


def _weight(item: tuple[Deviation, dict[str, Cell]]) -> tuple[int, int, str]:
    deviation, cells = item
    severity = max(int(cell.severity) if cell.unexplained else 0 for cell in cells.values())
    return -severity, -sum(cell.exchanges for cell in cells.values()), str(deviation)


def _cell(survey: Survey, slug: str, cell: Cell | None) -> HeatCell | None:
    if cell is None:
        return None
    whole = survey.rows[slug].exchanges
    label = cell.severity.label
    share = cell.exchanges / whole
    return HeatCell(
        share=f"{round(100 * share)}" if share >= 0.005 else "<1",
        level=label if cell.unexplained else "known",
        step=min(_STEPS, 1 + int(share * _STEPS)),
        letter=label[0].upper() if cell.unexplained else "",
        label=f"{slug}: {cell.exchanges} of {count_of(whole, 'exchange')}, "
        + (f"{cell.unexplained} of them not known of it ({label})" if cell.unexplained else "known of it"),
    )
