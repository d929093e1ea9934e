"""Write the pictures of README.md from real runs: docs/terminal.svg and docs/report.png.

    python scripts/pictures.py [CHROMIUM]       writes both
    python scripts/pictures.py --check          only says whether the first shows what the command prints now

The first shows a terminal after ``isogloss check``. The second shows a report in a headless Chromium. Its command is
``chromium``, unless the command line names another.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from isogloss.cli.main import cli

ROOT = Path(__file__).parents[1]
CHECK = ["check", "fixtures/captures/json/pair.json", "fixtures/captures/sse/stream.sse"]
REPORT = ["report", "fixtures/dialects", "--format", "html"]
_WIDTH = 110
"""Columns of the terminal."""
_WINDOW = "1200,1400"
_CHROMIUM = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-sync", "--disable-background-networking", "--disable-component-update", "--enable-logging=stderr",
    "--v=0",
)  # fmt: skip


class _Terminal(io.StringIO):
    """A text stream that claims to be a terminal, so that isogloss writes colours to it."""

    def isatty(self) -> bool:
        """Return true: it claims to be a terminal."""
        return True


def run(arguments: list[str], out: io.StringIO) -> str:
    """Run a command in the root of the project, and return its standard output."""
    stdout, sys.stdout = sys.stdout, out
    try:
        cli.main(arguments, prog_name="isogloss", standalone_mode=False)
    except SystemExit as ended:
        if ended.code not in (0, 1):
            raise
    finally:
        sys.stdout = stdout
    return out.getvalue()


def terminal() -> str:
    """Return the SVG of a terminal in which a capture is checked; it refers to nothing on a network."""
    os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
    os.environ["COLUMNS"] = str(_WIDTH)
    os.environ.pop("NO_COLOR", None)
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), highlight=False)
    console.print(Text.assemble(("$ ", "green"), " ".join(["isogloss", *CHECK])))
    console.print(Text.from_ansi(run(CHECK, _Terminal()).rstrip()))
    svg = console.export_svg(title="isogloss", unique_id="isogloss")
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # rules that load fonts from a server
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


def report(chromium: str, picture: Path) -> str:
    """Write the picture of the first screen of the report, and return the errors in the console of the page."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(run(REPORT, io.StringIO()), "utf-8")
        options = (f"--user-data-dir={folder}/profile", f"--window-size={_WINDOW}", f"--screenshot={picture}")
        command = [chromium, *_CHROMIUM, *options, page.as_uri()]
        result = subprocess.run(
            command, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=True, timeout=120
        )
    return "\n".join(line for line in result.stderr.splitlines() if "CONSOLE" in line)


def _text(svg: str) -> str:
    """Return the text in a picture, without its style and shapes, which differ between versions of rich."""
    return "".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))


def main(argv: list[str]) -> int:
    """Write both pictures. Returns 1 if the page of the report has errors, or if a picture to be checked is old."""
    os.chdir(ROOT)
    picture = ROOT / "docs" / "terminal.svg"
    if argv == ["--check"]:
        current = _text(picture.read_text("utf-8")) == _text(terminal())
        print("docs/terminal.svg is current" if current else "docs/terminal.svg is old: python scripts/pictures.py")
        return 0 if current else 1
    picture.write_text(terminal(), "utf-8")
    errors = report(argv[0] if argv else "chromium", ROOT / "docs" / "report.png")
    print(errors or "docs/terminal.svg and docs/report.png written")
    return 1 if errors else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
