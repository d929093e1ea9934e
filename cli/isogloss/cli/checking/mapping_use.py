"""Note at which paths of a mapping records hold something. A path at which none does may be misspelt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from isogloss.cli.reading.jobs import COLUMNAR
from isogloss.validator.captures.mapping import PARTS, Mapping
from isogloss.validator.captures.tables.columns import BODIES, PRESETS
from isogloss.validator.decode import decode
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.quoting import printable
from isogloss.validator.secrets import mask_text

__all__ = ["MappingUse", "watch"]

_ANSWERS = frozenset({"response", "stream"})


class MappingUse:
    """The parts of a mapping that were found in some record, and for the others what their paths may have been.

    ``is_used`` says whether something was read by the mapping.
    """

    __slots__ = ("_found", "_suggestions", "is_used")

    def __init__(self) -> None:
        self.is_used = False
        self._found: frozenset[str] = frozenset()
        self._suggestions: dict[str, str] | None = None

    def watch(self, mapping: Mapping, found: Iterable[Exchange | Skipped]) -> Iterator[Exchange | Skipped]:
        """Yield what was found in a file that is read by the mapping, and note which parts were there."""
        for one in found:
            if isinstance(one, Exchange) and one.row_group is not None:
                self.is_used, self._found = True, frozenset(PARTS)  # a table without these columns is not read at all
            elif one.mapped is not None:
                self.is_used = True
                self._found |= one.mapped
            if isinstance(one, Exchange) and self._suggestions is None:
                self._suggestions = _suggestions(mapping, one)
            yield one

    def merge(self, other: MappingUse) -> None:
        """Add what was found elsewhere."""
        self.is_used |= other.is_used
        self._found |= other._found
        self._suggestions = {**(other._suggestions or {}), **(self._suggestions or {})}

    def unfound(self, mapping: Mapping) -> Iterator[str]:
        """Yield a message for each path at which no record has anything.

        The paths of a preset are right, but not every log has all. Of answers and streams, a log may have one alone.
        """
        is_preset = any(mapping == preset.columns for preset in PRESETS.values())
        has_answers = not self._found.isdisjoint(_ANSWERS)
        for part in BODIES if is_preset else PARTS:
            path = getattr(mapping, part)
            near = (self._suggestions or {}).get(part)
            if path and part not in self._found and (near is not None or part not in _ANSWERS or not has_answers):
                hint = f"did you mean {mask_text(printable(near))!r}?" if near is not None else "is its path right?"
                yield f"no record has a {part.replace('_', '-')} at {path}; {hint}"


def watch(
    path: str, mapping: Mapping | None, found: Iterable[Exchange | Skipped], uses: dict[Mapping, MappingUse]
) -> Iterable[Exchange | Skipped]:
    """Return what was found in a file, and note in ``uses`` which parts of its mapping were there, if it has one.

    A table without the columns of a mapping is not read at all, and the reason says so.
    """
    if mapping is None:
        return found
    if path.endswith(COLUMNAR):
        return _watch_table(mapping, iter(found), uses)
    return uses.setdefault(mapping, MappingUse()).watch(mapping, found)


def _watch_table(
    mapping: Mapping, found: Iterator[Exchange | Skipped], uses: dict[Mapping, MappingUse]
) -> Iterator[Exchange | Skipped]:
    for one in found:
        if isinstance(one, Exchange):
            use = uses.setdefault(mapping, MappingUse())
            yield from use.watch(mapping, (one,))
            break
        yield one
    yield from found


def _suggestions(mapping: Mapping, exchange: Exchange) -> dict[str, str]:
    """Return for each part of a mapping a path that may be meant, if an exchange was read without it."""
    from isogloss.validator.captures.structures.objects.suggested import body_paths, nearest_path

    record = decode(exchange.text.data).value
    if exchange.at and isinstance(record, list) and record:
        record = record[0]
    missing = [part for part in PARTS if getattr(mapping, part) and part not in (exchange.mapped or ())]
    bodies = body_paths(record) if not {"request", "response"}.isdisjoint(missing) else {}
    near = {part: bodies.get(part) or nearest_path(record, getattr(mapping, part)) for part in missing}
    return {part: path for part, path in near.items() if path is not None and path not in mapping}
