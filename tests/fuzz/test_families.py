"""Test that large captures with few findings take little processor time for each byte.

The speed of a busy machine varies. The time of a capture is therefore compared with times that are measured at the same
moment in the same process: that of a decoder in Python, and that of a smaller capture.
"""

from __future__ import annotations

from collections.abc import Callable

import families
import fuzz
import pytest
from python_decoder import DECODED_BYTES

_TOLERANCE = 2.5
"""A family may take this many times the allowed time.

For each byte, the large capture may take this many times as long as one of a quarter of its size.
"""
_TRIES = 3
_SIZES = 1 << 16, 1 << 18


def _measurements_if_slow(name: str) -> list[families.Measurement]:
    """Measure a family several times. Return all measurements, or an empty list if one of them was fast enough."""
    measurements = []
    for _ in range(_TRIES):
        measurements.append(families.measure(name, sizes=_SIZES))
        if measurements[-1].share <= _TOLERANCE and measurements[-1].growth <= _TOLERANCE:
            return []
    return measurements


@pytest.mark.slow
@pytest.mark.parametrize("name", families.FAMILIES)
def test_a_large_capture_with_few_findings_takes_linear_time_and_little_for_each_byte(name: str) -> None:
    assert not _measurements_if_slow(name)


@pytest.mark.parametrize(
    ("steps", "slow"),
    [
        pytest.param(lambda size: 10 * size, False, id="what is wanted"),
        pytest.param(lambda size: 40 * size, True, id="four times what is wanted"),
        pytest.param(lambda size: size * size // (1 << 14), True, id="quadratic"),
    ],
)
def test_a_slow_family_is_detected(monkeypatch: pytest.MonkeyPatch, steps: Callable[[int], int], slow: bool) -> None:
    """Count time in steps, one for each byte that is decoded, so that the measurements do not depend on the machine.

    Garbage, which takes no steps, is not collected: among the objects of all tests, that takes seconds.
    """
    steps_done = [0]

    def check(data: bytes, _judge: object) -> None:
        steps_done[0] += steps(len(data))

    def decode_in_python() -> None:
        steps_done[0] += DECODED_BYTES

    monkeypatch.setattr(fuzz, "check", check)
    monkeypatch.setattr(families, "decode_in_python", decode_in_python)
    monkeypatch.setattr(families.time, "process_time", lambda: float(steps_done[0]))
    for name in ("collect", "freeze", "unfreeze"):
        monkeypatch.setattr(families.gc, name, lambda: None)
    assert bool(_measurements_if_slow("a list of numbers")) is slow
