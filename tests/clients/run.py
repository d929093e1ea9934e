"""Replay deviating answers to real clients, and write the outcomes.

    python tests/clients/run.py --list
    python tests/clients/run.py --all [--new]
    python tests/clients/run.py --client openai-python [--version 3.54.0] [--path plain] [--case ID]
    python tests/clients/run.py --cases

``--all`` runs each client in each version that its file names, and writes the data that ``isogloss`` shows.
``--client`` runs one client, and writes its file. With ``--new``, only the cases without an outcome are run. With
``--path`` or ``--case``, it prints outcomes or their counts, and does not write the file of the client. ``--cases``
writes ``cases.json`` and ``replayed.txt``, and removes outcomes from the data if their cases no longer exist or are
replayed in other bytes. The environments are installed from the locks once, and kept in the cache.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence

import client_data
import registry
from adapter_process import AdapterFailed
from case_building import Case, build_cases, conforming_cases, source_files
from commands import ClientUnavailable
from replay_server import ReplayServer
from runs import Results, run_client

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for. Return 0, or 1 if a client could not be run or a case does not exist."""
    options = _parse_arguments(argv)
    if options.list:
        for slug in registry.client_slugs():
            client = registry.load_client(slug)
            print(f"{slug}: {', '.join(client.versions)}; {', '.join(client.paths)}")
        return 0
    cases, _ = build_cases(source_files())
    cases |= conforming_cases()
    if options.case is not None and options.case not in cases:
        print(f"no case is called {options.case!r}", file=sys.stderr)
        return 1
    chosen_cases = [case for name, case in sorted(cases.items()) if options.case in (None, name)]
    if options.case is None:
        client_data.write_cases(cases.values())
    failed = 0
    slugs = registry.client_slugs() if options.all else options.client or []
    with ReplayServer() as server:
        for slug in slugs:
            failed |= _run_client(registry.load_client(slug), chosen_cases, options, server)
    return failed


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    actions = parser.add_mutually_exclusive_group(required=True)
    actions.add_argument("--all", action="store_true", help="run every client")
    actions.add_argument("--client", action="append", metavar="SLUG", help="run this client; may be repeated")
    actions.add_argument("--list", action="store_true", help="list the clients with their versions and paths")
    actions.add_argument("--cases", action="store_true", help="write the cases, and run nothing")
    parser.add_argument("--new", action="store_true", help="run the cases alone that have no outcome yet")
    parser.add_argument("--version", help="run this version alone")
    parser.add_argument("--path", help="run this path alone, and do not write the file of the client")
    parser.add_argument("--case", metavar="ID", help="run this case alone, and write nothing")
    parser.add_argument(
        "--date", default=datetime.datetime.now(datetime.UTC).date().isoformat(), help="the date of the run"
    )
    return parser.parse_args(argv)


def _run_client(client: registry.Client, cases: list[Case], options: argparse.Namespace, server: ReplayServer) -> int:
    results_by_version: dict[str, Results] = {}
    failed = 0
    for version in client.versions:
        if options.version not in (None, version):
            continue
        start = time.monotonic()
        known = client_data.read_results(client, version) if options.new else {}
        chosen = [case for case in cases if _is_new(case, client, known)]
        try:
            results = run_client(client, version, chosen, options.path, server)
        except (ClientUnavailable, AdapterFailed) as error:
            print(f"{client.slug} {version}: {error}", file=sys.stderr)
            failed = 1
            continue
        results_by_version[version] = {path: known.get(path, {}) | found for path, found in results.items()}
        for path, found in results_by_version[version].items():
            if options.case is not None:
                _print_outcomes(client, version, path, found)
            else:
                print(f"{client.slug} {version} {path}: {_format_counts(found)}", flush=True)
        print(f"{client.slug} {version}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    if options.case is None and options.path is None:
        changed = client_data.write_client(client, results_by_version, options.date, keep_dates=options.new)
        print(f"{client.slug}: {'changed' if changed else 'unchanged'}")
    return failed


def _is_new(case: Case, client: registry.Client, known: Results) -> bool:
    """Return whether a path of a client takes a case whose outcome is not known."""
    return any(
        path.takes(case.mode, bool(case.oracle_of_twin.get("calls"))) and case.name not in known.get(name, {})
        for name, path in client.paths.items()
    )


def _format_counts(results: Mapping[str, object]) -> str:
    def kind(outcome: object) -> str:
        if isinstance(outcome, dict):
            return str(outcome["outcome"])
        return "same" if outcome is None else "unpublished"

    counts = Counter(map(kind, results.values()))
    return ", ".join(f"{counts[name]} {name}" for name in ("same", "raises", "silent", "hangs", "unpublished"))


def _print_outcomes(client: registry.Client, version: str, path: str, results: Mapping[str, object]) -> None:
    for name, outcome in results.items():
        if isinstance(outcome, dict):
            text = f"{outcome['outcome']}: {outcome['seen']}"
        else:
            text = "same" if outcome is None else "unpublished: the result of the twin is not what the oracle says"
        print(f"{client.slug} {version} {path} {name}: {text}")


if __name__ == "__main__":
    raise SystemExit(main())
