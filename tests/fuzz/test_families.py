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
    """Measure a family several times. Return all measurements, or an empty list if one was quick enough."""
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


@pytest.mark.parametrize(
    ("steps", "slow"),
    [
        pytest.param(lambda size: 12 * size, False, id="what is wanted"),
        pytest.param(lambda size: 50 * size, True, id="four times what is wanted"),
        pytest.param(lambda size: size * size // (1 << 14), True, id="quadratic"),
    ],
)
def test_what_is_slow_is_seen(monkeypatch: pytest.MonkeyPatch, steps: Callable[[int], int], slow: bool) -> None:
    """Count time in steps, so that the measurements do not depend on the machine."""
    done = [0]

    def check(data: bytes, _judge: object) -> None:
        done[0] += steps(len(data))

    def plain_steps() -> None:
        done[0] += families.PLAIN_STEPS

    monkeypatch.setattr(fuzz, "check", check)
    monkeypatch.setattr(families, "plain_steps", plain_steps)
    monkeypatch.setattr(families.time, "process_time", lambda: float(done[0]))
    assert bool(_slow("a list of numbers")) is slow
