"""``isogloss portability``: print which dialects accept a request unchanged."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from isogloss.cli.configuration.dialect_choice import dialect_files_option, known_dialects
from isogloss.cli.configuration.settings import load, own_dialects
from isogloss.cli.elements.skipping import say_advice, say_skipped
from isogloss.cli.process import exits, output
from isogloss.cli.process.terminal import write_plain
from isogloss.cli.reading.capture_path import CapturePath
from isogloss.cli.reading.corpus import Corpus, input_format_option
from isogloss.cli.reading.unread import say_unread
from isogloss.validator.dialects.explanations import Explanations, ObservedFinding
from isogloss.validator.dialects.model import Dialect
from isogloss.validator.dialects.restrictions import BrokenRestriction, broken_restrictions
from isogloss.validator.engines import walk
from isogloss.validator.examining.examined import RuleHit
from isogloss.validator.examining.placing import value_at
from isogloss.validator.examining.schema_findings import violations
from isogloss.validator.exchange import Payload, Skipped
from isogloss.validator.pointer import generic
from isogloss.validator.quoting import printable
from isogloss.validator.rules import Hit

__all__ = ["command"]

_VERBS = {"rejected": "rejects", "ignored": "ignores"}


@click.command(name="portability")
@click.argument("paths", nargs=-1, required=True, type=CapturePath(), metavar="REQUEST...")
@input_format_option
@dialect_files_option
@click.pass_context
def command(
    ctx: click.Context, paths: tuple[str, ...], input_format: str | None, dialect_files: tuple[Path, ...]
) -> None:
    """Print which dialects accept each REQUEST unchanged, and what each of the others would reject or ignore.

    REQUEST is a file with a request body or with recorded requests, a folder of such files, or - for standard input.

    Only restrictions that isogloss knows are considered; dialects without any are listed separately. A property that
    the reference does not have counts as accepted only by the dialects that are known to have it.
    """
    dialects = [
        dialect
        for dialect in sorted(known_dialects(own_dialects(dialect_files)).values(), key=lambda one: one.slug)
        if dialect.kind != "reference"
    ]
    explanations = Explanations(dialects)
    requests, any_exchange = Counter[str](), False
    skipped: list[Skipped] = []
    for exchange in Corpus(load(None, {}), input_format=input_format).exchanges(paths, skipped):
        any_exchange = True
        if (payload := exchange.request) is None:
            continue
        requests[exchange.file] += 1
        described = [reason] if (reason := _why_unknown(payload)) else _lines(payload.value, dialects, explanations)
        write_plain((f"{printable(exchange.file)}:", *(f"  {line}" for line in described)), sys.stdout)
    say_skipped(skipped, requests)
    if not requests:
        output.say("no request was recognised in these files")
        say_advice(skipped, any_file=any_exchange)
        ctx.exit(exits.NOTHING_CHECKED)
    ctx.exit(exits.NOTHING_CHECKED if say_unread(paths, skipped) else exits.OK)


def _why_unknown(payload: Payload) -> str | None:
    """Say why nothing is known about a body, or return ``None`` for a body that is a JSON object without faults.

    What is known of dialects is about the properties of requests.
    """
    if not payload.sound:
        return "not known: its JSON has faults, which `isogloss check` lists"
    if not isinstance(payload.value, dict):
        return "not known: the body is no JSON object"
    return None


def _lines(request: object, dialects: list[Dialect], explanations: Explanations) -> Iterator[str]:
    """Yield lines with what is known about each dialect and the request."""
    known_in = {
        hit.pointer: {dialect.slug for dialect, _ in explanations.facts(_observed(rule, hit, request))}
        for rule, hit in violations("request", request, walk.iter_errors("request", request))
        if rule == "unknown-property"
    }
    accepting, without_restrictions = [], []
    slugs_by_paths: dict[str, list[str]] = {}
    for dialect in dialects:
        refusals = _refusals(broken_restrictions(dialect, request))
        undefined = [pointer for pointer, slugs in known_in.items() if dialect.slug not in slugs]
        if refusals:
            yield printable(f"{dialect.slug}: {'; '.join(refusals)}")
        if undefined:
            paths = ", ".join(dict.fromkeys(map(generic, undefined)))
            slugs_by_paths.setdefault(paths, []).append(dialect.slug)
        elif not dialect.restrictions:
            without_restrictions.append(dialect.slug)
        elif not refusals:
            accepting.append(dialect.slug)
    yield f"accepted as it is: {', '.join(accepting) or 'none'}"
    for paths, slugs in slugs_by_paths.items():
        yield printable(f"nothing known about {paths}: {', '.join(slugs)}")
    if without_restrictions:
        yield f"no restriction known: {', '.join(without_restrictions)}"


def _observed(rule: str, hit: Hit, request: object) -> ObservedFinding:
    found = RuleHit(rule, hit, "request")
    return ObservedFinding(rule, "request", generic(hit.pointer), found, request, value_at(request, hit))


def _refusals(broken: Iterable[BrokenRestriction]) -> list[str]:
    """Return what a dialect rejects, and what it ignores. If it does so only for some requests, add why."""
    refused: dict[str, dict[str, None]] = {}
    for one in broken:
        restriction = one.restriction
        refused.setdefault(_VERBS[restriction.effect], {})[f"{generic(one.pointer)}{restriction.reason}"] = None
    return [f"{verb} {', '.join(paths)}" for verb, paths in sorted(refused.items(), reverse=True)]
