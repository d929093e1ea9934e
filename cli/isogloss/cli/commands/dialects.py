"""``isogloss dialects``: show what is known of each dialect, and draft new ones."""

from __future__ import annotations

import datetime
import re
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from isogloss import schemas
from isogloss.cli.configuration.dialect_choice import dialect_files_option, find_dialect, known_dialects
from isogloss.cli.configuration.parameters import TextValue
from isogloss.cli.configuration.settings import load, own_dialects
from isogloss.cli.descriptions.dialect_evidence import Period, evidence, newest
from isogloss.cli.descriptions.dialect_pages import facts_by_place, markdown
from isogloss.cli.elements.indented_json import print_json
from isogloss.cli.elements.outputs import text_or_json_option
from isogloss.cli.elements.skipping import say_advice, say_skipped
from isogloss.cli.process import exits, output
from isogloss.cli.process.terminal import aligned, color_option, write_markdown, write_plain
from isogloss.cli.reading.capture_path import CapturePath
from isogloss.cli.reading.corpus import Corpus, input_format_option
from isogloss.cli.reading.unread import say_unread
from isogloss.validator import engines
from isogloss.validator.dialects.infer import infer
from isogloss.validator.examining.examined import Examined
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.exchange import Skipped
from isogloss.validator.quoting import count_of
from isogloss.validator.secrets import mask_text

__all__ = ["command"]


@click.group(name="dialects")
def command() -> None:
    """List, show and compare dialects, list those to check again, or draft one from captures."""


@command.command(name="list")
@dialect_files_option
@text_or_json_option
def list_(dialect_files: tuple[Path, ...], output_format: str) -> None:
    """List the dialects, with their evidence.

    Each line has the strongest evidence, its date, and what distinguishes the dialect from others.

    Evidence is recorded traffic, the source code of a server, an official SDK, documentation, or a third party.
    """
    dialects = sorted(known_dialects(own_dialects(dialect_files)).items())
    if output_format == "json":
        print_json([_as_json(dialect.data) for _, dialect in dialects])
        return
    rows = [
        (slug, dialect.kind, str(next(iter(evidence(dialect.data)), "nothing verified")), dialect.data["summary"])
        for slug, dialect in dialects
    ]
    write_plain(aligned(rows), sys.stdout)


def _as_json(data: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("slug", "name", "kind", "summary", "hosts")
    return {key: data[key] for key in keys} | {"evidence": [source._asdict() for source in evidence(data)]}


def _period(ctx: click.Context, param: click.Parameter, value: str) -> Period:
    try:
        return Period.parse(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@command.command()
@click.option(
    "--older-than",
    metavar="TIME",
    default="12mo",
    show_default=True,
    callback=_period,
    help="How old the newest evidence is: 90d, 6w, 12mo, 2y.",
)
@dialect_files_option
@text_or_json_option
def stale(older_than: Period, dialect_files: tuple[Path, ...], output_format: str) -> None:
    """List the dialects whose evidence is old.

    The dialect whose newest evidence is oldest comes first. These dialects should be checked again.

    A date without a day counts as the last day that it can be.
    """
    oldest_day = older_than.before(datetime.date.today())
    old = [
        dialect.data
        for dialect in known_dialects(own_dialects(dialect_files)).values()
        if newest(dialect.data) < oldest_day
    ]
    old.sort(key=lambda data: (newest(data), data["slug"]))
    if output_format == "json":
        print_json([_as_json(data) for data in old])
        return
    rows = []
    for data in old:
        evidence_text = ", ".join(f"{item} ({count_of(item.facts, 'fact')})" for item in evidence(data))
        rows.append((data["slug"], evidence_text or "nothing verified"))
    write_plain(aligned(rows), sys.stdout)


@command.command()
@click.argument("slug")
@dialect_files_option
@color_option
def show(slug: str, dialect_files: tuple[Path, ...]) -> None:
    """Show all facts about the dialect SLUG.

    Each fact has its sources and their dates.

    On a terminal the page is rendered, elsewhere it is Markdown.
    """
    write_markdown(markdown(find_dialect(slug, own_dialects(dialect_files)).data), sys.stdout)


@command.command()
@click.argument("first")
@click.argument("second")
@dialect_files_option
@color_option
def diff(first: str, second: str, dialect_files: tuple[Path, ...]) -> None:
    """Show how two dialects differ."""
    left, right = (
        dict(facts_by_place(find_dialect(slug, own_dialects(dialect_files)).data)) for slug in (first, second)
    )
    lines = [
        f"{sign} {key}{facts[key]}"
        for key in sorted({*left, *right})
        for facts, sign in ((left, "-"), (right, "+"))
        if left.get(key) != right.get(key) and key in facts
    ]
    if lines:
        head = f"# {first} and {second}\n\n`-` is true of {first} alone, `+` of {second} alone.\n"
        write_markdown("\n".join((head, "```diff", *lines, "```", "")), sys.stdout)
    else:
        click.echo(f"{first} and {second} do nothing differently")


def _slug(ctx: click.Context, param: click.Parameter, value: str) -> str:
    pattern = schemas.dialect_schema()["properties"]["slug"]["pattern"]
    if re.fullmatch(pattern, value) is None:
        raise click.BadParameter(f"{value!r} is not lower-case letters and digits, joined by hyphens", ctx, param)
    return value


@command.command(name="infer")
@click.argument("paths", nargs=-1, required=True, type=CapturePath(), metavar="PATH...")
@click.option("--slug", required=True, callback=_slug, help="The slug of the new dialect.")
@click.option("--name", type=TextValue(), help="Its name; by default the slug.")
@input_format_option
@click.pass_context
def infer_(ctx: click.Context, paths: tuple[str, ...], slug: str, name: str | None, input_format: str | None) -> None:
    """Draft a dialect from captures that all speak it.

    Each deviation has a count of how often it was seen, and the place where it was seen first. Read the draft before
    you use it: it also has what only one client did, and what one answer held by chance.
    """
    examiner = Examiner(engines.load())
    skipped: list[Skipped] = []
    corpus = Corpus(load(None, {}), input_format=input_format)
    examined = [examiner.examine(exchange) for exchange in corpus.exchanges(paths, skipped)]
    say_skipped(skipped, Counter(one.exchange.file for one in examined))
    if not examined:
        output.say("nothing was recognised in these captures, so that no dialect can be drafted")
        say_advice(skipped, any_file=False)
        ctx.exit(exits.NOTHING_CHECKED)
    print_json(_draft_of(examined, slug, mask_text(name or slug)))
    ctx.exit(exits.NOTHING_CHECKED if say_unread(paths, skipped) else exits.OK)


def _draft_of(examined: list[Examined], slug: str, name: str) -> dict[str, Any]:
    """Draft a dialect file from exchanges."""
    facts = infer(examined)
    exchanges = count_of(len(examined), "captured exchange")
    source = {"where": exchanges, "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}", "confidence": "recorded"}
    return {
        "slug": slug,
        "name": name,
        "kind": "vendor",
        "summary": f"Drafted from {exchanges}.",
        "hosts": sorted(
            {one.exchange.host.lower() for one in examined if one.exchange.host and "." in one.exchange.host}
        ),
        "sources": {"captures": source},
        "fingerprints": [{**fact, "source": "captures"} for fact in facts.fingerprints],
        "deviations": [
            {**fact, "source": "captures", "note": "first seen in " + facts.examples[f"{fact['in'][0]} {fact['at']}"]}
            for fact in facts.deviations
        ],
        "behaviours": [
            {**fact, "source": "captures", "note": "first seen in " + facts.examples[fact["rule"]]}
            for fact in facts.behaviours
        ],
    }
