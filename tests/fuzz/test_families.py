"""What large captures with few findings take of the processor, a byte."""

from __future__ import annotations

import families
import pytest


@pytest.mark.slow
@pytest.mark.parametrize("name", families.FAMILIES)
def test_a_large_capture_with_few_findings_takes_a_microsecond_a_byte(name: str) -> None:
    most = 2 * families.allowed(name)  # a busy machine takes longer
    assert any(families.measured(name, families.LARGE, tries=1) <= most for _ in range(3))
