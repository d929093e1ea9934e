"""Tests of runs in a shell: no traceback, the right exit code, a message that says why, and no incomplete file."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full and a POSIX shell")

ROOT = Path(__file__).parents[2]
PAIR = ROOT / "fixtures" / "captures" / "json" / "pair.json"
FULL = "No space left on device"


class Shell(NamedTuple):
    """A line for a shell, and what is expected of it.

    The line runs in an empty folder, where ``$RUN`` means isogloss, and ``$PAIR`` is a capture that deviates. What
    follows ``$UNPRIVILEGED`` may not read every file, even if the user is root.
    ``message`` is in standard error, which is empty if ``message`` is ``None``.
    ``files`` are all files that are in the folder afterwards.
    """

    line: str
    exit_code: int
    message: str | None = None
    files: tuple[str, ...] = ()
    environment: Mapping[str, str] = MappingProxyType({})


SHELLS = {
    "full disk, text": Shell("$RUN check $PAIR >/dev/full", 2, FULL),
    "full disk, as it goes": Shell("$RUN check $PAIR --format jsonl >/dev/full", 2, FULL),
    "full disk, bytes": Shell("$RUN schemas show request >/dev/full", 2, FULL),
    "full disk, unbuffered": Shell("$RUN rules >/dev/full", 2, FULL, environment={"PYTHONUNBUFFERED": "1"}),
    "full disk, help": Shell("$RUN --help >/dev/full", 2, FULL),
    "full disk, file": Shell("$RUN check $PAIR --output json:/dev/full", 2, "cannot write to /dev/full: " + FULL),
    "full disk, baseline": Shell("$RUN check $PAIR --write-baseline /dev/full", 2, FULL),
    "full disk, report": Shell("$RUN report $PAIR --output json:/dev/full", 2, FULL),
    "full disk, messages": Shell("$RUN check nowhere 2>/dev/full", 2),
    "closed output": Shell("$RUN check $PAIR >&-", 1),
    "closed output of a group": Shell("$RUN schemas list >&-", 0),
    "closed messages": Shell("$RUN check nowhere 2>&-", 2),
    "closed input": Shell("$RUN check - <&-", 3),
    "everything closed": Shell("$RUN check $PAIR <&- >&- 2>&-", 1),
    "output that is open for reading": Shell("$RUN rules 1</dev/null", 2, "cannot write to standard output"),
    "a reader that leaves": Shell("($RUN rules; echo $? >&2) | true; false", 1, "0\n"),
    "no home": Shell("env -u HOME $RUN check $PAIR >/dev/null", 1),
    "the language C": Shell("$RUN check $PAIR >/dev/null", 1, environment={"LANG": "C", "LC_ALL": "C"}),
    "a folder that was removed": Shell(
        "mkdir gone; cd gone; rmdir ../gone; $RUN check $PAIR", 2, "the working directory cannot be read"
    ),
    "a pipe": Shell("mkfifo pipe; cat $PAIR >pipe & $RUN check pipe >/dev/null", 1, files=("pipe",)),
    "large pipes that are written one after the other": Shell(
        "mkfifo a b; (cat $PAIR; head -c 500000 /dev/zero | tr '\\0' ' ') >large; (cat large >a; cat large >b) & "
        "$RUN check a b >/dev/null",
        1,
        files=("a", "b", "large"),
    ),
    "a device": Shell("$RUN check /dev/null", 3),
    "a pipe as a report": Shell(
        "mkfifo pipe; cat pipe >read & $RUN check $PAIR -q --output json:pipe >/dev/null; code=$?; wait; exit $code",
        1,
        files=("pipe", "read"),
    ),
    "a loop of links": Shell("mkdir in; ln -s loop in/loop; $RUN check in", 3, files=("in",)),
    "a loop of links as a report": Shell(
        "ln -s loop loop; $RUN check $PAIR --output json:loop", 2, "cannot write to loop: ", files=("loop",)
    ),
    "a link as a report": Shell(
        "ln -s there here; $RUN check $PAIR --output json:here >/dev/null; test -L here && test -s there",
        0,
        files=("here", "there"),
    ),
    "a report that nobody else may read": Shell(
        "umask 077; echo >r; umask 022; $RUN check $PAIR --output json:r >/dev/null; stat -c %a r >&2",
        0,
        "600\n",
        files=("r",),
    ),
    "a name that is no UTF-8": Shell(
        r"""n=$(printf 'r\351sum\351.json'); cp $PAIR "$n"; $RUN check . >/dev/null && $RUN check "$n" """,
        1,
        files=("r\udce9sum\udce9.json",),
    ),
    "a report whose name is no UTF-8": Shell(
        r"""n=$(printf 'no\351/r'); $RUN check $PAIR --output "json:$n" """, 2, "there is no folder"
    ),
    "a very long name as a report": Shell(
        "$RUN check $PAIR --output json:$(printf '%0300d' 1)", 2, "File name too long"
    ),
    "the longest name as a report": Shell(
        "$RUN check $PAIR --output json:$(printf '%0255d' 1)", 1, files=("0" * 254 + "1",)
    ),
    "a file that is taken for a folder": Shell(
        "echo >file; $RUN schemas export file/in", 2, "cannot write to file/in", files=("file",)
    ),
    "a folder that is taken for a file": Shell(
        "mkdir -p s/chunk.json; $RUN schemas export s >/dev/null; code=$?; ls -A s >&2; exit $code",
        2,
        "chunk.json\ncompletion.json\n",
        files=("s",),
    ),
    "a file that is not there": Shell("$RUN check nowhere.json", 2, "does not exist"),
    "a file that vanishes": Shell(
        "mkfifo pipe; cp $PAIR gone.json; (rm gone.json; cat $PAIR) >pipe & "
        "$RUN check pipe gone.json | grep -q 'gone.json: skipped: cannot be read: No such file'",
        0,
        "Error: gone.json: cannot be read: No such file",
        files=("pipe",),
    ),
    "a file that becomes a folder": Shell(
        "mkfifo pipe; cp $PAIR f.json; (rm f.json; mkdir f.json; cat $PAIR) >pipe & "
        "$RUN check pipe f.json | grep -q 'f.json: skipped: '",
        0,
        "Error: f.json: cannot be read: ",
        files=("f.json", "pipe"),
    ),
    "a file that is emptied": Shell(
        "mkfifo pipe; cp $PAIR f.json; (: >f.json; cat $PAIR) >pipe & "
        "$RUN check pipe f.json | grep -q 'f.json: skipped: '",
        0,
        files=("f.json", "pipe"),
    ),
    "a file that becomes shorter": Shell(
        "mkfifo pipe; cp $PAIR f.json; (head -c 300 $PAIR >f.json; cat $PAIR) >pipe & "
        "$RUN check pipe f.json | grep -q 'f.json:.*json-truncated'",
        0,
        files=("f.json", "pipe"),
    ),
    "a folder that vanishes": Shell(
        "mkfifo pipe; mkdir d; cp $PAIR d/f.json; (rm -r d; cat $PAIR) >pipe & "
        "$RUN check pipe d | grep -q 'f.json: skipped: cannot be read: No such file'",
        0,
        files=("pipe",),
    ),
    "a file that one may not read": Shell(
        "cp $PAIR f.json; chmod 000 f.json; $UNPRIVILEGED $RUN check f.json",
        3,
        "f.json cannot be read: you have no permission",
        files=("f.json",),
    ),
    "a file that one may not read beside one that conforms": Shell(
        "cp $PAIR f.json; cp $PAIR g.json; chmod 000 f.json; $UNPRIVILEGED $RUN check -q --exit-zero g.json f.json",
        3,
        "f.json cannot be read: you have no permission",
        files=("f.json", "g.json"),
    ),
    "a folder that one may not read": Shell(
        "mkdir -m 0 d; $UNPRIVILEGED $RUN check d", 3, "d cannot be read: you have no permission", files=("d",)
    ),
    "a folder that one may not enter": Shell(
        "mkdir -m 444 d; $UNPRIVILEGED $RUN report d", 3, "d cannot be read: you have no permission", files=("d",)
    ),
    "a file in a folder that one may not enter": Shell(
        "mkdir d; cp $PAIR d/f.json; chmod 444 d; $UNPRIVILEGED $RUN check d/f.json",
        3,
        "d/f.json cannot be read: you have no permission to enter d; change its mode",
        files=("d",),
    ),
    "a configuration and a target in a folder that one may not enter": Shell(
        "mkdir -p d/e; cp $PAIR d/f.json; chmod 444 d; $UNPRIVILEGED $RUN check $PAIR --config d/f.json; "
        "$UNPRIVILEGED $RUN report $PAIR --output json:d/e/r 2>&1 | grep -q 'd/e cannot be read: you have no perm'",
        0,
        "Invalid value for '--config': d/f.json cannot be read: you have no permission to enter d; change its mode",
        files=("d",),
    ),
    "a loop of links as a capture": Shell(
        "ln -s loop loop; $RUN check loop", 3, "loop cannot be read: Too many levels of symbolic links", files=("loop",)
    ),
    "patterns of git that one may not read": Shell(
        "mkdir -p d/.git d/e; cp $PAIR d/e/f.json; echo f.json >d/.gitignore; chmod 0 d/.gitignore; "
        "for path in d d/e; do $UNPRIVILEGED $RUN report $path; done | "
        "grep -c 'skipped: d/.gitignore: cannot be read: Permission denied; what it would ignore is read' >&2",
        0,
        "2\n",
        files=("d",),
    ),
    **{
        f"a folder below that one may not read, {command}": Shell(
            f"mkdir d; cp $PAIR d/f.json; mkdir -m 0 d/e; $UNPRIVILEGED $RUN {command} d >/dev/null",
            exit_code,
            "skipped: d/e: cannot be listed: Permission denied",
            files=("d",),
        )
        for command, exit_code in (("dialects infer --slug x", 0), ("portability", 0), ("compare --twins $PAIR", 0))
    },
    "a folder that one may not write to": Shell(
        "mkdir -m 555 ro; $UNPRIVILEGED $RUN check $PAIR --output json:ro/r",
        2,
        "'ro/r' cannot be written: you have no permission in its folder",
        files=("ro",),
    ),
    "two reports in the same pipe": Shell("$RUN check $PAIR --output json:/dev/stdout", 2, "is the standard output"),
    "two reports in the same file": Shell("$RUN check $PAIR --output json:r >r", 2, "use --format json", files=("r",)),
    "two reports in the null device": Shell("$RUN check $PAIR --output json:/dev/null >/dev/null", 1),
}
SIMILAR = {
    "full disk, as it goes", "full disk, baseline", "full disk, report", "closed output of a group",
    "a loop of links as a report", "a file that is emptied", "a file that becomes a folder",
}  # fmt: skip
"""Lines that test nearly the same as another line. Only the slow tests run them."""
assert SHELLS.keys() >= SIMILAR


@pytest.mark.parametrize(
    "shell",
    [pytest.param(shell, id=name, marks=pytest.mark.slow if name in SIMILAR else ()) for name, shell in SHELLS.items()],
)
def test_a_shell_gets_a_message_and_an_exit_code_and_no_incomplete_file(
    shell: Shell, environment: dict[str, str], tmp_path: Path
) -> None:
    command = f'{sys.executable} -c "from isogloss.cli.main import main; main()"'
    variables = {name: value for name, value in environment.items() if name != "PYTHONUNBUFFERED"}
    unprivileged = "setpriv --inh-caps=-all --bounding-set=-all" if os.geteuid() == 0 else ""
    line = shell.line.replace("$UNPRIVILEGED", unprivileged).replace("$RUN", command).replace("$PAIR", str(PAIR))
    result = subprocess.run(
        ["bash", "-c", line],
        cwd=tmp_path,
        env=variables | dict(shell.environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    assert "Traceback" not in result.stderr + result.stdout
    assert result.returncode == shell.exit_code, result.stderr
    assert (shell.message or "") in result.stderr
    assert shell.message is not None or result.stderr == ""
    assert sorted(os.listdir(tmp_path)) == sorted(shell.files)


@pytest.mark.parametrize("traceback", [False, True], ids=["line", "traceback"])
def test_an_internal_error_is_one_line_unless_a_traceback_is_wanted_and_ends_with_4(
    environment: dict[str, str], traceback: bool
) -> None:
    program = (
        "from isogloss.validator import rules\n"
        "def broken(): raise ZeroDivisionError('sk-proj-' + 'Zq8LmN4xR7v' + 'T2wY6pK1s')\n"
        "rules.names = broken\n"
        "from isogloss.cli.main import main; main(['rules'])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        env=environment | {"ISOGLOSS_TRACEBACK": str(int(traceback))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 4
    assert "Error: internal error, please report it: " in result.stderr
    assert "isogloss/cli/commands/rules.py:" in result.stderr
    assert "Zq8LmN4xR7vT2w" not in result.stderr
    assert ("Traceback" in result.stderr) is traceback
