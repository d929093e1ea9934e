"""Write a reproduction as a pytest test, which uses the fixture ``isogloss`` and fails while the finding is there."""

from __future__ import annotations

from isogloss import schemas
from isogloss.cli.repro_formats.model import Repro
from isogloss.validator import rules

__all__ = ["text"]


def text(repro: Repro) -> str:
    """Return the module of the test. The test fails as long as the finding is there."""
    finding = repro.finding
    is_known = repro.dialect == "auto" or schemas.slug_of(repro.dialect) not in (None, "openai")
    dialect = f", dialect={repro.dialect!r}" if is_known else ""  # a check in Python reads no dialect of the user's own
    return (
        f'"""{finding.rule}: {rules.rule(finding.rule).summary}\n\n'
        "The test fails as long as the finding is there. It needs isogloss, which has the fixture.\n"
        f'"""\n\nCAPTURE = {_literal(repro.data)}\n\n\n'
        f"def test_{finding.rule.replace('-', '_')}(isogloss) -> None:\n"
        f'    isogloss.check(CAPTURE, select=["{finding.rule}"], fail_on="{repro.fails_on.label}"{dialect})\n'
    )


def _literal(data: bytes) -> str:
    """Return bytes as a Python literal, with a line for each of their lines.

    It is a text if the bytes are UTF-8, else it is a literal of bytes.
    """
    value: str | bytes
    try:
        value = data.decode()
    except UnicodeDecodeError:
        value = data
    lines = value.splitlines(keepends=True)
    if len(lines) < 2:
        return repr(value)
    return "(\n" + "".join(f"    {line!r}\n" for line in lines) + ")"
