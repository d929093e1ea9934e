"""``isogloss clients``: the clients that were run with deviating answers, and what they were seen to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from isogloss.cli.clients_choice import known_client
from isogloss.cli.clients_tables import place_of, repeat, table, value_of
from isogloss.cli.listing import format_option, write_json
from isogloss.cli.report_views.markdown import escaped
from isogloss.cli.terminal import color_option, write_markdown
from isogloss.schemas import client_files
from isogloss.validator.impact.evidence import Case, Evidence, evidence

__all__ = ["command"]

_RUN = ("version", "date", "path", "as the answer says", "raises", "silently another", "hangs", "nothing follows")
_OUTCOME = ("path", "version", "outcome", "seen", "case")
_KEYS = ("slug", "name", "registry", "package", "paths")


@click.group(name="clients")
def command() -> None:
    """List the clients that were run with deviating answers, or show what one of them was seen to break on."""


@command.command(name="list")
@format_option
def list_(output_format: str) -> None:
    """List the clients, by name, with their versions and the ways in which they were called."""
    found = [client_files.client(slug) for slug in client_files.clients()]
    if output_format == "json":
        write_json([{key: one[key] for key in _KEYS} | {"runs": _runs(one)} for one in found])
        return
    width = max((len(one["slug"]) for one in found), default=0)
    for one in found:
        versions = ", ".join(run["version"] for run in one["runs"])
        click.echo(f"{one['slug']:<{width}}  {one['package']} {versions} ({', '.join(one['paths'])})")


def _runs(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [{key: run[key] for key in ("version", "date", "resolved")} for run in data["runs"]]


@command.command()
@click.argument("slug")
@format_option
@color_option
def show(slug: str, output_format: str) -> None:
    """Show what the client SLUG was seen to break on, in which version, and how to run it again.

    On a terminal the page is rendered, elsewhere it is Markdown.
    """
    data, known = client_files.client(known_client(slug)), evidence((slug,))
    if output_format == "json":
        write_json(
            {key: data[key] for key in _KEYS} | {"runs": _runs(data), "seen_to_break": list(_differences(known))}
        )
        return
    write_markdown("\n".join((*_page(data, known), "")), sys.stdout)


def _page(data: dict[str, Any], known: Evidence) -> Iterator[str]:
    """Yield the lines of the page of a client, in Markdown."""
    yield f"# {escaped(data['name'])}"
    yield ""
    yield f"`{data['slug']}` · `{data['package']}` of {'PyPI' if data['registry'] == 'pypi' else 'npm'}"
    yield ""
    yield from table(
        ("path", "asks for", "calls", "runs tools"),
        (
            (name, path["mode"], f"`{path['calls']}`", "yes" if path["runs_tools"] else "")
            for name, path in data["paths"].items()
        ),
    )
    yield ""
    yield "## Runs"
    yield ""
    yield "How many cases gave what the answer says, how many something else, and of how many nothing follows,"
    yield "because the client did not give what their twins say either."
    yield ""
    yield from table(_RUN, _counts(data, known))
    deviating = [one for one in known.cases.values() if one.where is not None]
    conforming = [one for one in known.cases.values() if one.where is None]
    yield from _section("Seen to break", ("rule", "place", "value"), _seen(deviating, known))
    yield from _section("Conforming answers that it was seen to break on", ("answer",), _seen(conforming, known))
    if example := next((repeat(run, case) for run in known.runs for case in run.differs), None):
        yield ""
        yield f"Run one again: `{example}`"


def _section(title: str, about: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    """Yield a title and a table, or nothing if the table has no rows."""
    found = list(rows)
    if found:
        yield from ("", f"## {title}", "")
        yield from table((*about, *_OUTCOME), found)


def _counts(data: dict[str, Any], known: Evidence) -> Iterator[tuple[str, ...]]:
    dates = {run["version"]: run["date"] for run in data["runs"]}
    for run in known.runs:
        outcomes = [one.outcome for one in run.differs.values()]
        counts = (len(run.same), *(outcomes.count(one) for one in ("raises", "silent", "hangs")), len(run.unpublished))
        yield run.version, dates[run.version], run.path, *map(str, counts)


def _seen(cases: list[Case], known: Evidence) -> Iterator[tuple[str, ...]]:
    """Yield a row for each outcome of some cases, by rule and place. Versions with the same outcome share one row."""
    for case in sorted(cases, key=lambda one: (one.where or (), one.form, one.id)):
        versions: dict[tuple[str, str, str], list[str]] = {}
        for run in known.runs:
            if (found := run.differs.get(case.id)) is not None:
                versions.setdefault((run.path, found.outcome, found.seen), []).append(run.version)
        for (path, outcome, seen), named in versions.items():
            yield *_about(case), path, ", ".join(named), outcome, escaped(seen), f"`{case.id}`"


def _about(case: Case) -> tuple[str, ...]:
    """Return the rule, place and value of a case, or for a conforming answer only whether it is a stream."""
    return (place_of(case),) if case.where is None else (case.where.rule, place_of(case), value_of(case))


def _differences(known: Evidence) -> Iterator[dict[str, Any]]:
    for run in known.runs:
        for name, found in run.differs.items():
            case = known.cases[name]
            where = {} if case.where is None else {"kind": case.where.kind, "place": case.where.path, "form": case.form}
            yield {
                "case": name,
                "rule": None if case.where is None else case.where.rule,
                "mode": case.mode,
                **where,
                "version": run.version,
                "path": run.path,
                "outcome": found.outcome,
                "seen": found.seen,
                "repeat": repeat(run, name),
            }
