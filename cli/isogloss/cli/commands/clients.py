"""``isogloss clients``: list the clients that were run with deviating answers, and show what each was seen to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from isogloss.cli.configuration.parameters import known_client
from isogloss.cli.descriptions.clients_tables import path_of, rerun_command, value_of
from isogloss.cli.elements.indented_json import print_json
from isogloss.cli.elements.markdown import escaped, table
from isogloss.cli.elements.outputs import text_or_json_option
from isogloss.cli.process.terminal import aligned, color_option, write_markdown, write_plain
from isogloss.schemas import client_files
from isogloss.validator.impact.evidence import ClientCase, ClientEvidence, evidence

__all__ = ["command"]

_RUN_COLUMNS = ("version", "date", "called as", "same", "raises", "silent", "hangs", "not counted")
_OUTCOME_COLUMNS = ("called as", "version", "outcome", "seen", "case")
_KEYS = ("slug", "name", "registry", "package", "paths")
_REGISTRIES = {"pypi": "PyPI", "npm": "npm", "debian": "Debian"}


@click.group(name="clients")
def command() -> None:
    """List the clients that were run with deviating answers, or show what one of them was seen to break on."""


@command.command(name="list")
@text_or_json_option
def list_(output_format: str) -> None:
    """List the clients, by name.

    Each line has the versions of a client, the ways in which it was called, and the days on which it was run.
    """
    clients = [client_files.client(slug) for slug in client_files.clients()]
    if output_format == "json":
        print_json([{key: client[key] for key in _KEYS} | {"runs": _runs_as_json(client)} for client in clients])
        return
    rows = []
    for client in clients:
        versions = ", ".join(run["version"] for run in client["runs"])
        days = " and ".join(sorted({run["date"] for run in client["runs"]}))
        paths = ", ".join(client["paths"])
        rows.append((client["slug"], f"{client['package']} {versions} ({paths}), run on {days}"))
    write_plain(aligned(rows), sys.stdout)


def _runs_as_json(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [{key: run[key] for key in ("version", "date", "resolved")} for run in data["runs"]]


@command.command()
@click.argument("slug")
@text_or_json_option
@color_option
def show(slug: str, output_format: str) -> None:
    """Show what the client SLUG was seen to break on.

    Each case has its outcome in each version. The last line is the command that runs one of them again.

    On a terminal the page is rendered, elsewhere it is Markdown.
    """
    data, client_evidence = client_files.client(known_client(slug)), evidence((slug,))
    if output_format == "json":
        print_json(
            {key: data[key] for key in _KEYS}
            | {"runs": _runs_as_json(data), "seen_to_break": list(_differences_as_json(client_evidence))}
        )
        return
    write_markdown("\n".join((*_page(data, client_evidence), "")), sys.stdout)


def _page(data: dict[str, Any], client_evidence: ClientEvidence) -> Iterator[str]:
    """Yield the lines of the page of a client, in Markdown."""
    yield f"# {escaped(data['name'])}"
    yield ""
    yield f"`{data['slug']}` · `{data['package']}` of {_REGISTRIES[data['registry']]}"
    yield ""
    yield from table(
        ("called as", "asks for", "calls", "runs tools"),
        (
            (name, path["mode"], f"`{path['calls']}`", "yes" if path["runs_tools"] else "")
            for name, path in data["paths"].items()
        ),
    )
    yield ""
    yield "## Runs"
    yield ""
    yield "How many cases had which outcome: the client returned the content of the answer (same), raised an exception"
    yield "(raises), returned something else (silent), or did not end (hangs). A case is not counted if the client"
    yield "already failed on its twin, the same answer without the deviation."
    yield ""
    yield from table(_RUN_COLUMNS, _run_rows(data, client_evidence))
    deviating = [one for one in client_evidence.cases.values() if one.where is not None]
    conforming = [one for one in client_evidence.cases.values() if one.where is None]
    yield from _section("Seen to break", ("rule", "path", "value"), _outcome_rows(deviating, client_evidence))
    yield from _section(
        "Conforming answers that it was seen to break on", ("answer",), _outcome_rows(conforming, client_evidence)
    )
    if example := next((rerun_command(run, case) for run in client_evidence.runs for case in run.differs), None):
        yield ""
        yield f"Run one again: `{example}`"


def _section(title: str, first_columns: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    """Yield a title and a table, or nothing if the table has no rows."""
    all_rows = list(rows)
    if all_rows:
        yield from ("", f"## {title}", "")
        yield from table((*first_columns, *_OUTCOME_COLUMNS), all_rows)


def _run_rows(data: dict[str, Any], client_evidence: ClientEvidence) -> Iterator[tuple[str, ...]]:
    dates = {run["version"]: run["date"] for run in data["runs"]}
    for run in client_evidence.runs:
        outcomes = [difference.outcome for difference in run.differs.values()]
        counts = (len(run.same), *(outcomes.count(one) for one in ("raises", "silent", "hangs")), len(run.unpublished))
        yield run.version, dates[run.version], run.path, *map(str, counts)


def _outcome_rows(cases: list[ClientCase], client_evidence: ClientEvidence) -> Iterator[tuple[str, ...]]:
    """Yield a row for each outcome of some cases, by rule and path. Versions with the same outcome share one row."""
    for case in sorted(cases, key=lambda one: (one.where or (), one.form, one.id)):
        versions_by_outcome: dict[tuple[str, str, str], list[str]] = {}
        for run in client_evidence.runs:
            if (difference := run.differs.get(case.id)) is not None:
                versions_by_outcome.setdefault((run.path, difference.outcome, difference.seen), []).append(run.version)
        for (path, outcome, seen), versions in versions_by_outcome.items():
            yield *_case_cells(case), path, ", ".join(versions), outcome, escaped(seen), f"`{case.id}`"


def _case_cells(case: ClientCase) -> tuple[str, ...]:
    """Return the rule, path and value of a case, or for a conforming answer only whether it is a stream."""
    return (path_of(case),) if case.where is None else (case.where.rule, path_of(case), value_of(case))


def _differences_as_json(client_evidence: ClientEvidence) -> Iterator[dict[str, Any]]:
    for run in client_evidence.runs:
        for name, difference in run.differs.items():
            case = client_evidence.cases[name]
            where = {} if case.where is None else {"kind": case.where.kind, "place": case.where.path, "form": case.form}
            yield {
                "case": name,
                "rule": None if case.where is None else case.where.rule,
                "mode": case.mode,
                **where,
                "version": run.version,
                "path": run.path,
                "outcome": difference.outcome,
                "seen": difference.seen,
                "repeat": rerun_command(run, name),
            }
