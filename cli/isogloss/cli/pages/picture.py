"""Draw the picture of the verdict: how many exchanges speak each dialect, how surely, and what deviates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from isogloss.cli.checking.dialect_counts import DialectCounts
from isogloss.cli.checking.survey import BANDS, GIVEN, DeviationCounts, DeviationPath, Survey
from isogloss.cli.elements.places import kind_and_path
from isogloss.validator.dialects.attribution import UNDETERMINED
from isogloss.validator.quoting import count_of

__all__ = ["Heat", "Picture", "heat", "picture"]

_MOST_ROWS, _MOST_COLUMNS = 24, 14
_COLOUR_STEPS = 5


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
    """The share of a dialect's exchanges that show a deviation.

    ``step`` says how dark the cell is, ``letter`` how severe the deviation is.
    """

    share: str
    level: str
    step: int
    letter: str
    label: str


class HeatRow(NamedTuple):
    """A deviation and its cells. A cell is ``None`` if its dialect does not show the deviation."""

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
    """The bars of the dialects, the bar of the undetermined exchanges, the key of the bars, and the heat map.

    The bar of the undetermined exchanges has its own scale. ``unnamed`` says how many exchanges are undetermined, and
    how confident the nearest dialects are.
    """

    bars: list[Bar]
    undetermined: Bar | None
    unnamed: str
    key: list[tuple[str, str]]
    heat: Heat


def picture(survey: Survey, anchors: Mapping[DeviationPath, str]) -> Picture | None:
    """Return the picture of a survey, or ``None`` if the survey is empty.

    ``anchors`` are the names within the page of the entries of deviations.
    """
    if not survey.rows:
        return None
    named = [(slug, row) for slug, row in survey.spoken() if slug != UNDETERMINED]
    longest = max((row.exchanges for _, row in named), default=1)
    bars = [_bar(slug, row, longest) for slug, row in named]
    undetermined_row = survey.rows.get(UNDETERMINED)
    undetermined = (
        None if undetermined_row is None else _bar(UNDETERMINED, undetermined_row, undetermined_row.exchanges)
    )
    levels = {segment.level for bar in (*bars, undetermined) if bar is not None for segment in bar.segments}
    key = [(level, label) for level, label in (*BANDS.values(), GIVEN) if level in levels]
    return Picture(
        bars,
        undetermined,
        _undetermined_text(undetermined, survey.exchanges),
        key,
        heat(survey, anchors, rows=_MOST_ROWS, columns=_MOST_COLUMNS),
    )


def _undetermined_text(bar: Bar | None, exchanges: int) -> str:
    if bar is None:
        return ""
    if exchanges == 1:
        subject = "The exchange shows"
    elif bar.exchanges == exchanges:
        subject = f"All {exchanges:,} exchanges show"
    else:
        subject = f"{bar.exchanges:,} of {exchanges:,} exchanges show"
    return f"{subject} no sure sign of a dialect. Confidence in the nearest one, by number of exchanges: {bar.label}."


def _bar(slug: str, row: DialectCounts, longest: int) -> Bar:
    segments = [
        Segment(level, f"{row.bands[level]:,} {label}", max(1, round(100 * row.bands[level] / longest)))
        for level, label in (*BANDS.values(), GIVEN)
        if row.bands[level]
    ]
    return Bar(slug, row.exchanges, ", ".join(segment.label for segment in segments), segments)


def heat(survey: Survey, anchors: Mapping[DeviationPath, str], *, rows: int | None, columns: int | None) -> Heat:
    """Return the heat map with at most so many rows and columns, the most severe and frequent deviations first."""
    spoken = survey.spoken()
    slugs = [(slug, row.exchanges) for slug, row in spoken if row.explained or row.unexplained]
    deviations = sorted(survey.cells.items(), key=_sort_key)
    shown_deviations, shown_slugs = deviations[:rows], slugs[:columns]
    if shown_slugs and len(shown_slugs) < len(slugs) and slugs[-1][0] == UNDETERMINED:
        shown_slugs[-1] = slugs[-1]
    left_out = [
        count_of(len(all_items) - len(shown_items), unit)
        for all_items, shown_items, unit in (
            (deviations, shown_deviations, "deviation"),
            (slugs, shown_slugs, "dialect"),
        )
        if len(all_items) > len(shown_items)
    ]
    return Heat(
        shown_slugs,
        [
            HeatRow(
                deviation.rule,
                kind_and_path(deviation),
                anchors.get(deviation, ""),
                [_cell(survey, slug, cells.get(slug)) for slug, _ in shown_slugs],
            )
            for deviation, cells in shown_deviations
        ],
        " and ".join(left_out),
    )


def _sort_key(item: tuple[DeviationPath, dict[str, DeviationCounts]]) -> tuple[int, int, str]:
    deviation, cells = item
    severity = max(int(cell.severity) if cell.unexplained else 0 for cell in cells.values())
    return -severity, -sum(cell.exchanges for cell in cells.values()), str(deviation)


def _cell(survey: Survey, slug: str, cell: DeviationCounts | None) -> HeatCell | None:
    if cell is None:
        return None
    exchanges = survey.rows[slug].exchanges
    label = cell.severity.label
    share = cell.exchanges / exchanges
    return HeatCell(
        share=f"{round(100 * share)}" if share >= 0.005 else "<1",
        level=label if cell.unexplained else "known",
        step=min(_COLOUR_STEPS, 1 + int(share * _COLOUR_STEPS)),
        letter=label[0].upper() if cell.unexplained else "",
        label=f"{slug}: {cell.exchanges} of {count_of(exchanges, 'exchange')}, "
        + (f"{cell.unexplained} of them not known in it ({label})" if cell.unexplained else "known in it"),
    )
