"""Find that all names of a payload are in another style, such as camelCase."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias, get_args

from isogloss import schemas
from isogloss.validator.examining.examined import RuleHit
from isogloss.validator.examining.meant.cause import Cause, values_of, with_values
from isogloss.validator.exchange import Exchange, Kind
from isogloss.validator.nesting import is_deeper, values_in

__all__ = ["known_names", "other_style"]

_Spelling: TypeAlias = Callable[[str], str]
"""Returns a name of the reference in another style."""


def other_style(unknown: Sequence[RuleHit], exchange: Exchange) -> Iterator[Cause]:
    """Yield the style of all names in the request or in the answer as the cause of unknown properties, if any."""
    part = unknown[0].part
    values = values_of(exchange, part)
    for style, spell in _STYLES.items():
        respelt = [one for one in unknown if _is_spelt(one, spell)]
        if respelt and _are_names_spelt(values, spell):
            meant = with_values(exchange, part, _respelt(values, _known_by_spelling(spell)))
            yield Cause(respelt, [meant], f"All names are in {style}", is_whole=True)
            return


def _in_camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + _in_pascal_case("_".join(others))


def _in_pascal_case(name: str) -> str:
    return "".join(f"{word[:1].upper()}{word[1:]}" for word in name.split("_"))


def _in_kebab_case(name: str) -> str:
    return name.replace("_", "-")


_STYLES: Mapping[str, _Spelling] = {
    "camelCase": _in_camel_case, "PascalCase": _in_pascal_case, "kebab-case": _in_kebab_case, "capitals": str.upper,
}  # fmt: skip


def _is_spelt(one: RuleHit, spell: _Spelling) -> bool:
    """Return whether an unknown property has the name that another one has in a style."""
    return any(spell(str(meant[-1])) == one.hit.pointer[-1] for meant in one.hit.other_pointers)


def _are_names_spelt(values: list[Any], spell: _Spelling) -> bool:
    """Return whether all names in values are in a style, and several of them are another in the reference.

    Values that are nested too deep are not looked at.
    """
    if is_deeper(values):
        return False
    names = {name for one in values_in(values) if isinstance(one, dict) for name in one}
    return len(names & _known_by_spelling(spell).keys()) > 1 and all(spell(name) == name for name in names)


def _respelt(value: Any, known: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {known.get(name, name): _respelt(inner, known) for name, inner in value.items()}
    return [_respelt(item, known) for item in value] if isinstance(value, list) else value


@cache
def _known_by_spelling(spell: _Spelling) -> Mapping[str, str]:
    """Return the names of properties in the reference that are others in a style, by these others."""
    return {spelt: name for name in known_names() if (spelt := spell(name)) != name}


@cache
def known_names() -> frozenset[str]:
    """Return the names of all properties in the reference."""
    documents = [schemas.validation_document(kind) for kind in get_args(Kind)]
    objects = (one for one in values_in(documents) if isinstance(one, dict))
    return frozenset(name for one in objects for name in one.get("properties", ()))
