"""Write the results as data that ``isogloss`` shows beside findings: ``cases.json``, and one file for each client.

``replayed.txt``, beside this module, holds two digests for each case: of the files that the case is built from, and of
the bytes that clients were sent. If these bytes change, the outcomes of the case are removed: they are of other bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from case_building import ROOT, Case
from registry import FOLDER, Client
from replay_server import Reply
from runs import Results

__all__ = [
    "DATA",
    "REPLAYED",
    "digest_of_files",
    "keep_outcomes_of",
    "read_digests",
    "read_results",
    "write_cases",
    "write_client",
]

DATA = ROOT / "schemas" / "isogloss" / "schemas" / "clients"
REPLAYED = FOLDER / "replayed.txt"


def write_cases(cases: Iterable[Case], folder: Path = DATA, replayed: Path = REPLAYED) -> bool:
    """Write ``cases.json`` and the digests with one case on each line, and return whether either changed.

    Outcomes of other cases, and of cases that are now replayed in other bytes, are removed from the files of clients.
    """
    sorted_cases = sorted(cases, key=lambda case: case.name)
    lines = [f"{_compact_json(case.name)}:{_compact_json(case.entry())}" for case in sorted_cases]
    old_digests = read_digests(replayed)
    digests = {
        case.name: (digest_of_files(case.source, case.twin_source), _replayed_digest(case)) for case in sorted_cases
    }
    keep_outcomes_of(
        {name for name, digest in digests.items() if old_digests.get(name, digest)[1] == digest[1]}, folder
    )
    is_changed = _write_if_changed(folder / "cases.json", '{"cases":{\n' + ",\n".join(lines) + "\n}}\n")
    digest_lines = [f"{name} {files} {sent}\n" for name, (files, sent) in digests.items()]
    return _write_if_changed(replayed, "".join(digest_lines)) or is_changed


def read_digests(replayed: Path = REPLAYED) -> dict[str, tuple[str, str]]:
    """Return the digests of each case: of the files that it is built from, and of what is replayed."""
    text = replayed.read_text("utf-8") if replayed.exists() else ""
    return {name: (files, sent) for name, files, sent in map(str.split, text.splitlines())}


def digest_of_files(source: str, twin_source: str) -> str:
    """Return the digest of the fixture of a case, and of that of its twin if the twin is a fixture."""
    names = [source] if twin_source == "generated" else [source, twin_source]
    return _digest((ROOT / name).read_bytes() for name in names)


def _replayed_digest(case: Case) -> str:
    return _digest(part for reply in (case.reply, case.twin) for part in _parts_of(reply))


def _parts_of(reply: Reply) -> list[bytes]:
    return [b"".join(reply.pieces), f"{reply.status} {reply.content_type} {reply.broken}".encode()]


def _digest(parts: Iterable[bytes]) -> str:
    digests = [hashlib.sha256(part).digest() for part in parts]
    return hashlib.sha256(b"".join(digests)).hexdigest()[:12]


def keep_outcomes_of(names: Container[str], folder: Path) -> bool:
    """Remove the outcomes of all other cases from the files of all clients, and return whether a file changed."""
    changed = False
    for file in sorted(folder.glob("*.json")):
        data = json.loads(file.read_text("utf-8"))
        if "runs" not in data:
            continue
        for run in data["runs"]:
            for path in run["paths"].values():
                for kind in ("same", "unpublished"):
                    path[kind] = [name for name in path[kind] if name in names]
                path["differs"] = {name: seen for name, seen in path["differs"].items() if name in names}
        changed |= _write_if_changed(file, _format_client(data))
    return changed


def write_client(
    client: Client,
    results_by_version: Mapping[str, Results],
    date: str,
    folder: Path = DATA,
    *,
    keep_dates: bool = False,
) -> bool:
    """Write the file of a client with one path on each line, and return whether a result changed.

    ``date`` is the day of the run, also if its results are the same as in the file. With ``keep_dates``, a version that
    the file has keeps its date: most of its results are as old. Versions that are not in ``results_by_version`` stay as
    they are in the file.
    """
    file = folder / f"{client.slug}.json"
    known_runs = {run["version"]: run for run in json.loads(file.read_text("utf-8"))["runs"]} if file.exists() else {}
    runs, has_changed = [], False
    for version in reversed(client.versions):  # the newest last
        old = known_runs.get(version)
        if version not in results_by_version:
            runs += [old] if old else []
            continue
        paths = {name: _group_by_outcome(results) for name, results in results_by_version[version].items()}
        has_changed |= old is None or old["paths"] != paths
        resolved = client.lock(version).relative_to(ROOT).as_posix()
        day = old["date"] if old and keep_dates else date
        runs.append({"version": version, "date": day, "resolved": resolved, "paths": paths})
    if not runs:
        return False
    path_descriptions = {
        name: {"mode": path.mode, "calls": path.calls, "runs_tools": path.runs_tools}
        for name, path in client.paths.items()
    }
    head = {
        "slug": client.slug,
        "name": client.name,
        "registry": client.registry,
        "package": client.package,
        "paths": path_descriptions,
    }
    _write_if_changed(file, _format_client({**head, "runs": runs}))
    return has_changed


def read_results(client: Client, version: str, folder: Path = DATA) -> Results:
    """Return the results of a version that are in the file of a client, by path; nothing if it was not run."""
    file = folder / f"{client.slug}.json"
    runs = json.loads(file.read_text("utf-8"))["runs"] if file.exists() else []
    return {
        name: dict.fromkeys(path["same"]) | dict.fromkeys(path["unpublished"], False) | path["differs"]
        for run in runs
        if run["version"] == version
        for name, path in run["paths"].items()
    }


def _format_client(data: Mapping[str, Any]) -> str:
    head = {name: value for name, value in data.items() if name != "runs"}
    return _compact_json(head)[:-1] + ',"runs":[\n' + ",\n".join(map(_format_run, data["runs"])) + "\n]}\n"


def _group_by_outcome(results: Mapping[str, Any]) -> dict[str, Any]:
    ordered = sorted(results.items())
    return {
        "same": [name for name, outcome in ordered if outcome is None],
        "unpublished": [name for name, outcome in ordered if outcome is False],
        "differs": {name: outcome for name, outcome in ordered if outcome},
    }


def _format_run(run: Mapping[str, Any]) -> str:
    head = {name: run[name] for name in ("version", "date", "resolved")}
    lines = [f"{_compact_json(name)}:{_compact_json(path)}" for name, path in run["paths"].items()]
    return _compact_json(head)[:-1] + ',"paths":{\n' + ",\n".join(lines) + "\n}}"


def _compact_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _write_if_changed(file: Path, text: str) -> bool:
    if file.exists() and file.read_text("utf-8") == text:
        return False
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return True
