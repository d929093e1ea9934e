"""Test every page in a real browser: accessible, in every width, in print, with a keyboard, and without a script."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGES = ("check", "report", "probe", "nothing")
APPEARANCES = [(width, scheme) for width in (400, 1280) for scheme in ("light", "dark")]
OPEN_ALL_DETAILS = "document.querySelectorAll('details').forEach(one => one.setAttribute('open', ''))"
LAY_OUT_ALL = """document.querySelectorAll('.long').forEach(one => { one.style.contentVisibility = 'visible'; })"""
"""Lay out the long parts of a page at once.

A browser lays them out only when they are scrolled to. Until then, axe takes them for the background of a text.
"""
EXCESS_WIDTH = "document.documentElement.scrollWidth - innerWidth"
WAIT_FOR_FRAME = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
FIND_BARRIERS = """axe.run(document, {resultTypes: ['violations']}).then(result => result.violations.map(one =>
    `${one.impact} ${one.id}: ${one.nodes.map(node => node.html + node.failureSummary).slice(0, 3)}`))"""


@pytest.mark.slow
@pytest.mark.parametrize("command", PAGES)
def test_axe_finds_no_barrier_and_nothing_is_wider_than_the_window(
    command: str, write_page: Callable[[str], Path], tab: Any, axe: str
) -> None:
    tab.load(write_page(command))
    tab.evaluate(axe + "; 0")
    tab.evaluate(LAY_OUT_ALL)
    for width, scheme in APPEARANCES:
        tab.set_appearance(width, scheme)
        assert tab.evaluate(EXCESS_WIDTH) <= 0
        tab.evaluate(OPEN_ALL_DETAILS)
        tab.evaluate(WAIT_FOR_FRAME)
        assert tab.evaluate(EXCESS_WIDTH) <= 0
        assert tab.evaluate(FIND_BARRIERS) == [], (width, scheme)


@pytest.mark.slow
@pytest.mark.parametrize("command", PAGES)
def test_everything_is_readable_without_a_script_and_in_print(
    command: str, write_page: Callable[[str], Path], tab: Any
) -> None:
    tab.load(write_page(command), scripts=False)
    tab.set_appearance(760, "light", "print")
    collapsed = """[...document.querySelectorAll('details:not([open]) > :not(summary)')]
        .filter(one => one.getBoundingClientRect().height === 0).length"""
    assert tab.evaluate("document.querySelectorAll('details[open]').length") == 0
    assert tab.evaluate(collapsed) == 0
    assert tab.evaluate("document.getElementById('filters')?.checkVisibility() ?? false") is False


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "report", "probe"])
def test_a_finding_is_reached_and_opened_by_keyboard_alone(
    command: str, write_page: Callable[[str], Path], tab: Any
) -> None:
    tab.load(write_page(command))
    tab.press("Tab", 9)
    assert tab.evaluate("document.activeElement.className") == "skip"
    for _ in range(200):
        tab.press("Tab", 9)
        if tab.evaluate("document.activeElement.matches('.finding > summary')"):
            break
    assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    tab.press("Enter", 13, "\r")
    assert tab.evaluate("document.activeElement.parentNode.open") is True


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no-script"])
def test_a_link_to_a_finding_opens_it(scripts: bool, write_page: Callable[[str], Path], tab: Any) -> None:
    page = write_page("check")
    anchor = page.read_text("utf-8").rpartition('<p id="')[2].partition('"')[0]
    tab.load(page.with_name("page.html"), scripts=scripts)
    tab("Page.navigate", url=f"{page.as_uri()}#{anchor}")
    assert tab.evaluate(f"document.getElementById('{anchor}').closest('details').open") is True


@pytest.mark.slow
def test_a_filter_leaves_only_the_chosen_findings(write_page: Callable[[str], Path], tab: Any) -> None:
    tab.load(write_page("check"))
    tab.evaluate("""(() => { const one = document.querySelector('[data-filter=severity]'); one.value = 'error';
        one.dispatchEvent(new Event('change', {bubbles: true})); })()""")
    visible = tab.evaluate("[...document.querySelectorAll('.finding')].filter(one => one.checkVisibility()).length")
    assert 0 < visible < tab.evaluate("document.querySelectorAll('.finding').length")
    assert tab.evaluate("document.getElementById('shown').textContent").startswith(f"{visible} of ")


@pytest.mark.bench
def test_ten_thousand_findings_that_all_differ_open_within_two_seconds_of_processor_time(
    isogloss: Callable[..., Any], tab: Any, tmp_path: Path
) -> None:
    payload = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
    lines = [
        payload | {f"prop_{spell_with_letters(20 * line + number)}": None for number in range(20)}
        for line in range(500)
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, lines)))
    page = tmp_path / "page.html"
    isogloss("check", tmp_path, "--output", f"html:{page}")
    assert page.read_text("utf-8").count('class="finding"') == 10_000
    tab("Performance.setTimeDomain", timeDomain="threadTicks")
    tab("Performance.enable")
    before = read_metrics(tab)
    tab.load(page)
    tab.evaluate(WAIT_FOR_FRAME)
    after = read_metrics(tab)
    print(f"main thread {after['ThreadTime'] - before['ThreadTime']:.2f} s, {after['Nodes']:,.0f} nodes")
    assert after["ThreadTime"] - before["ThreadTime"] < 2


def spell_with_letters(number: int) -> str:
    """Return the digits of a number as letters, because messages that differ only in digits are put into one line."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def read_metrics(tab: Any) -> dict[str, float]:
    """Return what the browser measures of a tab, by name. Times are seconds of processor time."""
    return {metric["name"]: metric["value"] for metric in tab("Performance.getMetrics")["metrics"]}
