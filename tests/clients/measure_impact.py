"""Measure whether what isogloss says of clients really happens, on answers that no case is built from.

    python tests/clients/measure_impact.py --all
    python tests/clients/measure_impact.py --client openai-python --client ai-sdk [--sample 60] [--seed 1] [PATH ...]

Each answer of the sample is replayed to the clients as it is, and again with all violations of one rule repaired. A
client that reads the repaired answer as ``isogloss fold`` does, but not the answer as it is, breaks on that rule.
This is compared with what isogloss says of the findings that the repair removed. Precision is the share of the breaks
it names that happen; recall is the share of the breaks that happen that it names. A break is right if it has an outcome
(``raises``, ``silent`` or ``hangs``) that is named for the same client, version and path. Without paths of captures,
the answers are those of ``fixtures``.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import registry
from adapter_process import AdapterFailed
from case_building import ROOT, SERVER_RULES, Case
from commands import ClientUnavailable
from comparing_replies import have_same_content, mode_of, oracle_of, sent_content
from judging_replies import ReplyFinding, exchange_of, extent_of_finding, findings_of, has_calls, reply_of
from repairing import FIXTURES, possible_repairs, rewrite
from replay_server import ReplayServer, Reply
from runs import run_client

from isogloss.schemas import client_files
from isogloss.validator import captures, engines
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.impact import matcher_of
from isogloss.validator.judging.judge import Judge

__all__ = ["main"]

MAX_LENGTH = 100_000
"""The longest answers of a sample, in bytes. Longer ones take too long to repair."""

Run = tuple[str, str, str]
"""A client, its version, and the path on which it is called."""


class BrokenRule(NamedTuple):
    """A rule that an answer breaks, the paths and messages of its findings, and where the answer is."""

    rule: str
    findings: frozenset[tuple[str, str]]
    where: str
    exchange: Exchange


class Example(NamedTuple):
    """A case that is built from an answer of a capture, and what isogloss says of the findings that its twin lacks.

    ``named`` holds the outcomes that it names for each run. ``removed`` are the rules and paths of these findings.
    """

    case: Case
    where: str
    removed: frozenset[tuple[str, str]]
    named: Mapping[Run, frozenset[str]]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print what is wrong and the shares. Return 0, or 1 if a client could not be run."""
    options = _parse_arguments(argv)
    slugs = registry.client_slugs() if options.all else options.client
    broken = _broken_rules(options.captures)
    examples = list(islice(_build_examples(_choose(broken, options.seed), slugs), options.sample))
    print(f"{len(examples)} answers that break {len({one.case.rule for one in examples})} rules")
    counts: Counter[tuple[Run, str]] = Counter()
    failed = 0
    with ReplayServer() as server:
        for client in map(registry.load_client, slugs):
            for version in client.versions:
                try:
                    results = run_client(client, version, [one.case for one in examples], None, server)
                except (ClientUnavailable, AdapterFailed) as error:
                    print(f"{client.slug} {version}: {error}", file=sys.stderr)
                    failed = 1
                    continue
                for path, outcomes in results.items():
                    run = (client.slug, version, path)
                    counts.update(_compare(run, examples, outcomes))
    for run in dict.fromkeys(run for run, _ in counts):
        print(f"{' '.join(run)}: {_format_shares({kind: n for (one, kind), n in counts.items() if one == run})}")
    total: Counter[str] = Counter()
    for (_, kind), number in counts.items():
        total[kind] += number
    print(f"all: {_format_shares(total)}")
    return failed


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    clients = parser.add_mutually_exclusive_group(required=True)
    clients.add_argument("--all", action="store_true", help="run every client")
    clients.add_argument("--client", action="append", metavar="SLUG", help="run this client; may be repeated")
    parser.add_argument("--sample", type=int, default=60, metavar="N", help="how many answers are replayed")
    parser.add_argument("--seed", type=int, default=1, help="decides which answers are replayed")
    parser.add_argument("captures", nargs="*", type=Path, default=[FIXTURES], help="captures, or folders of captures")
    return parser.parse_args(argv)


def _broken_rules(paths: Iterable[Path]) -> Iterator[BrokenRule]:
    """Yield the rules that the answers in captures break, except in files that a case is built from."""
    files_of_cases = {ROOT / case["case"] for case in client_files.client_cases(None).values()}
    judge = Judge(engines.load())
    files = chain.from_iterable(sorted(path.rglob("*")) if path.is_dir() else [path] for path in paths)
    for file in files:
        if not file.is_file() or file.resolve() in files_of_cases:
            continue
        with file.open("rb") as stream:
            try:
                exchanges = list(captures.read(captures.Capture(stream, str(file))))
            except (captures.Unreadable, captures.TooLarge):
                continue
        for exchange in exchanges:
            if isinstance(exchange, Skipped) or exchange.response is None:
                continue
            findings: dict[str, set[tuple[str, str]]] = {}
            for one in judge.judge(exchange).unplaced:
                if one.kind != "request" and one.rule not in SERVER_RULES:
                    findings.setdefault(one.rule, set()).add((one.path, one.message))
            for rule, found in findings.items():
                yield BrokenRule(rule, frozenset(found), f"{file} exchange {exchange.number}", exchange)


def _choose(broken: Iterable[BrokenRule], seed: int) -> Iterator[BrokenRule]:
    """Yield broken rules in random order: one of each rule, then a second one. No two have the same findings."""
    order = random.Random(seed)
    by_rule: dict[str, list[BrokenRule]] = {}
    for one in broken:
        by_rule.setdefault(one.rule, []).append(one)
    rules = sorted(by_rule)
    order.shuffle(rules)
    distinct = []
    for rule in rules:
        order.shuffle(by_rule[rule])
        distinct.append(list({one.findings: one for one in by_rule[rule]}.values()))
    yield from (one for round_of_rules in zip_longest(*distinct) for one in round_of_rules if one is not None)


def _build_examples(broken: Iterable[BrokenRule], slugs: Sequence[str]) -> Iterator[Example]:
    judge = Judge(engines.load(), matcher=matcher_of(tuple(slugs)))
    for number, (rule, _, where, original) in enumerate(broken):
        reply = reply_of(original)
        if sum(map(len, reply.pieces)) > MAX_LENGTH:
            continue
        findings = findings_of(reply, original)
        finding = next((one for one in findings if one.rule == rule), None)
        twins = [] if finding is None else list(_possible_twins(reply, finding, findings, original))
        if finding is None or not twins:
            continue
        twin, removed = min(twins, key=lambda twin_and_removed: len(twin_and_removed[1]))
        named: dict[Run, frozenset[str]] = {}
        for one in judge.judge(exchange_of(reply, original)).unplaced:
            if (one.rule, one.path) in removed and one.impact is not None:
                for broken_run in one.impact.breaks:
                    run = (broken_run.client, broken_run.version, broken_run.path)
                    named[run] = named.get(run, frozenset()) | {broken_run.outcome}
        yield Example(_case(str(number), reply, twin, finding, original), where, removed, named)


def _possible_twins(
    reply: Reply, finding: ReplyFinding, findings: list[ReplyFinding], original: Exchange
) -> Iterator[tuple[Reply, frozenset[tuple[str, str]]]]:
    """Yield replies without violations of the rule of a finding, each with the rules and paths of all it lacks."""
    rules = frozenset((finding.rule,))
    keys = {one.key for one in findings}
    rewritten = rewrite(reply, rules) if (FIXTURES / "stream" / finding.rule).exists() else ()
    for twin in chain(possible_repairs(reply, rules, original), rewritten):
        left = {one.key for one in findings_of(twin, original)}
        oracle = oracle_of(twin)
        if (
            left <= keys
            and not any(rule == finding.rule for rule, _ in left)
            and oracle is not None
            and ("error" in oracle or mode_of(reply, original) == mode_of(twin))
            and have_same_content(reply, twin, oracle, finding)
        ):
            yield twin, frozenset(keys - left)


def _case(name: str, reply: Reply, twin: Reply, finding: ReplyFinding, original: Exchange) -> Case:
    oracle = oracle_of(twin)
    assert oracle is not None
    return Case(
        name=name,
        rule=finding.rule,
        kind=finding.kind,
        mode=mode_of(reply, original),
        place=finding.path,
        value=finding.value,
        message=finding.message,
        calls=has_calls(exchange_of(reply, original)),
        extent=extent_of_finding(reply, finding),
        source="",
        twin_source="generated",
        reply=reply,
        twin=twin,
        oracle=oracle,
        sent=sent_content(reply, finding),
    )


def _compare(run: Run, examples: Iterable[Example], outcomes: Mapping[str, Any]) -> Iterator[tuple[Run, str]]:
    """Yield whether isogloss was right about each example, and print those where it was not."""
    for one in examples:
        outcome = outcomes.get(one.case.name, False)
        if outcome is False:
            continue  # the client does not take such answers, or does not understand the repaired one
        named, happened = one.named.get(run, frozenset()), outcome["outcome"] if outcome else None
        if named:
            yield run, "right" if happened in named else "wrong"
        if happened is not None and happened not in named:
            yield run, "missed"
        if (named or happened is not None) and happened not in named:
            said = f"isogloss says {', '.join(sorted(named))}" if named else "isogloss says nothing"
            did = f"{happened}: {outcome['seen']}" if outcome else "does not break"
            others = ", ".join(sorted({rule for rule, _ in one.removed} - {one.case.rule}))
            beside = f" (and {others})" if others else ""
            print(f"{' '.join(run)}: {one.case.rule} {one.case.place}{beside} in {one.where}: {said}; it {did}")


def _format_shares(counts: Mapping[str, int]) -> str:
    right, wrong, missed = (counts.get(kind, 0) for kind in ("right", "wrong", "missed"))
    return f"precision {_share(right, wrong)}, recall {_share(right, missed)}"


def _share(right: int, other: int) -> str:
    return f"{right / (right + other):.2f} ({right} of {right + other})" if right + other else "none"


if __name__ == "__main__":
    raise SystemExit(main())
