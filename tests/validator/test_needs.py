"""What a rule says it needs only saves time: without asking, the same is found."""

from __future__ import annotations

from pathlib import Path

from isogloss.validator import captures, engines, rules
from isogloss.validator.examine import Examined, Examiner
from isogloss.validator.exchange import Exchange
from isogloss.validator.placing import Part

FIXTURES = Path(__file__).parents[2] / "fixtures"
EVERYTHING = frozenset(need for name in rules.names() for need in rules.rule(name).needs)


class Unasked(Examiner):
    """Runs every rule on everything."""

    def _run(self, group: str, features: frozenset[str], subject: object, part: Part, examined: Examined) -> None:
        super()._run(group, EVERYTHING, subject, part, examined)


def _differences(paths: list[Path]) -> tuple[list[str], int]:
    asked, unasked, differ, exchanges = Examiner(engines.load()), Unasked(engines.load()), [], 0
    for path in paths:
        with path.open("rb") as stream:
            for exchange in captures.read(captures.Capture(stream, path.name)):
                if isinstance(exchange, Exchange):
                    exchanges += 1
                    if asked.examine(exchange).found != unasked.examine(exchange).found:
                        differ.append(f"{path}, exchange {exchange.number}")
    return differ, exchanges


def test_rules_find_the_same_in_all_fixtures_whether_they_are_asked_for_their_needs_or_not() -> None:
    assert EVERYTHING
    paths = [
        path for path in sorted(FIXTURES.rglob("*")) if path.is_file() and path.suffix in (".json", ".sse", ".jsonl")
    ]
    differ, exchanges = _differences(paths)
    assert not differ
    assert exchanges > 500


def test_rules_find_the_same_in_recorded_traffic_whether_they_are_asked_or_not(shared: Path) -> None:
    differ, exchanges = _differences(sorted((shared / "corpus").glob("*.jsonl")))
    assert not differ
    assert exchanges > 2000
