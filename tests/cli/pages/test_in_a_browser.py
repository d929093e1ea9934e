"""Every page in a real browser: for everybody, at every width, on paper, by keyboard and without a script."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGES = ("check", "report", "probe", "nothing")
LOOKS = [(width, scheme) for width in (400, 1280) for scheme in ("light", "dark")]
OPEN = "document.querySelectorAll('details').forEach(one => one.setAttribute('open', ''))"
LAID_OUT = """document.querySelectorAll('.long').forEach(one => { one.style.contentVisibility = 'visible'; })"""
"""What is off the screen has no place before it is scrolled to, and axe would take it for what is behind a text."""
WIDER = "document.documentElement.scrollWidth - innerWidth"
FRAME = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
BARRIERS = """axe.run(document, {resultTypes: ['violations']}).then(result => result.violations.map(one =>
    `${one.impact} ${one.id}: ${one.nodes.map(node => node.html + node.failureSummary).slice(0, 3)}`))"""


@pytest.mark.slow
@pytest.mark.parametrize("command", PAGES)
def test_axe_finds_no_barrier_and_nothing_is_wider_than_the_window(
    command: str, page: Callable[[str], Path], tab: Any, axe: str
) -> None:
    tab.show(page(command))
    tab.run(axe + "; 0")
    tab.run(LAID_OUT)
    for width, scheme in LOOKS:
        tab.look(width, scheme)
        assert tab.run(WIDER) <= 0
        tab.run(OPEN)
        tab.run(FRAME)
        assert tab.run(WIDER) <= 0
        assert tab.run(BARRIERS) == [], (width, scheme)


@pytest.mark.slow
@pytest.mark.parametrize("command", PAGES)
def test_everything_is_read_without_a_script_and_on_paper(command: str, page: Callable[[str], Path], tab: Any) -> None:
    tab.show(page(command), scripts=False)
    tab.look(760, "light", "print")
    closed = """[...document.querySelectorAll('details:not([open]) > :not(summary)')]
        .filter(one => one.getBoundingClientRect().height === 0).length"""
    assert tab.run("document.querySelectorAll('details[open]').length") == 0
    assert tab.run(closed) == 0
    assert tab.run("document.getElementById('filters')?.checkVisibility() ?? false") is False


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "report", "probe"])
def test_a_finding_is_reached_and_opened_by_keyboard_alone(command: str, page: Callable[[str], Path], tab: Any) -> None:
    tab.show(page(command))
    tab.press("Tab", 9)
    assert tab.run("document.activeElement.className") == "skip"
    for _ in range(200):
        tab.press("Tab", 9)
        if tab.run("document.activeElement.matches('.finding > summary')"):
            break
    assert tab.run("getComputedStyle(document.activeElement).outlineStyle") != "none"
    tab.press("Enter", 13, "\r")
    assert tab.run("document.activeElement.parentNode.open") is True


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no-script"])
def test_a_link_to_a_finding_opens_it(scripts: bool, page: Callable[[str], Path], tab: Any) -> None:
    file = page("check")
    anchor = file.read_text("utf-8").rpartition('<p id="')[2].partition('"')[0]
    tab.show(file.with_name("page.html"), scripts=scripts)
    tab("Page.navigate", url=f"{file.as_uri()}#{anchor}")
    assert tab.run(f"document.getElementById('{anchor}').closest('details').open") is True


@pytest.mark.slow
def test_filters_leave_what_was_chosen(page: Callable[[str], Path], tab: Any) -> None:
    tab.show(page("check"))
    tab.run("""(() => { const one = document.querySelector('[data-filter=severity]'); one.value = 'error';
        one.dispatchEvent(new Event('change', {bubbles: true})); })()""")
    shown = tab.run("[...document.querySelectorAll('.finding')].filter(one => one.checkVisibility()).length")
    assert 0 < shown < tab.run("document.querySelectorAll('.finding').length")
    assert tab.run("document.getElementById('shown').textContent").startswith(f"{shown} of ")


@pytest.mark.bench
def test_ten_thousand_findings_that_all_differ_open_within_two_seconds_of_processor_time(
    isogloss: Callable[..., Any], tab: Any, tmp_path: Path
) -> None:
    payload = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
    lines = [payload | {f"prop_{letters(20 * line + number)}": None for number in range(20)} for line in range(500)]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, lines)))
    page = tmp_path / "page.html"
    isogloss("check", tmp_path, "--output", f"html:{page}")
    assert page.read_text("utf-8").count('class="finding"') == 10_000
    tab("Performance.setTimeDomain", timeDomain="threadTicks")
    tab("Performance.enable")
    before = metrics(tab)
    tab.show(page)
    tab.run(FRAME)
    after = metrics(tab)
    print(f"main thread {after['ThreadTime'] - before['ThreadTime']:.2f} s, {after['Nodes']:,.0f} nodes")
    assert after["ThreadTime"] - before["ThreadTime"] < 2


def letters(number: int) -> str:
    """Return a number as letters, because messages that differ only in digits are put into one line."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def metrics(tab: Any) -> dict[str, float]:
    """Return the metrics of a tab as the browser counts them, by name. Times are seconds of processor time."""
    return {one["name"]: one["value"] for one in tab("Performance.getMetrics")["metrics"]}
