"""What large captures with few findings take of the processor, a byte.

A busy machine is slower by as much as it likes. So seconds are compared with seconds that were measured beside them in
the same process: those of plain work, and those of a smaller capture.
"""

from __future__ import annotations

from collections.abc import Callable

import families
import fuzz
import pytest

_ROOM = 2.5
"""How many times more a family may take than is wanted, and than a capture of a quarter of the size a byte."""
_TRIES = 3
_SIZES = 1 << 16, 1 << 18


def _slow(name: str) -> list[families.Measured]:
    """What was measured in each try; nothing where one of them was quick enough."""
    tries = []
    for _ in range(_TRIES):
        tries.append(families.measured(name, sizes=_SIZES))
        if tries[-1].share <= _ROOM and tries[-1].growth <= _ROOM:
            return []
    return tries


@pytest.mark.slow
@pytest.mark.parametrize("name", families.FAMILIES)
def test_a_large_capture_with_few_findings_takes_linear_time_and_little_a_byte(name: str) -> None:
    assert not _slow(name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(lambda size: 50 * size, id="linear"),
        pytest.param(lambda size: size * size // (1 << 12), id="quadratic"),
    ],
)
def test_work_that_is_quadratic_or_takes_four_times_what_is_wanted_is_seen(
    monkeypatch: pytest.MonkeyPatch, steps: Callable[[int], int]
) -> None:
    def check(data: bytes, _judge: object) -> None:
        for _ in range(steps(len(data)) >> 12):
            [str(number) for number in range(1 << 12)]

    monkeypatch.setattr(fuzz, "check", check)
    assert _slow("a list of numbers")
