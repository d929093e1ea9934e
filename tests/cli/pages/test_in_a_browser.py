"""Every page in a real browser: for everybody, at every width, on paper, by keyboard and without a script."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.thorough

PAGES = ("check", "report", "probe", "nothing")
LOOKS = [(width, scheme) for width in (400, 1280) for scheme in ("light", "dark")]
OPEN = "document.querySelectorAll('details').forEach(one => one.setAttribute('open', ''))"
WIDER = "document.documentElement.scrollWidth - innerWidth"
FRAME = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
BARRIERS = """axe.run(document, {resultTypes: ['violations']}).then(result => result.violations.map(one =>
    `${one.impact} ${one.id}: ${one.nodes.map(node => node.html + node.failureSummary).slice(0, 3)}`))"""


@pytest.mark.parametrize("command", PAGES)
def test_axe_finds_no_barrier_and_nothing_is_wider_than_the_window(
    command: str, page: Callable[[str], Path], tab: Any, axe: str
) -> None:
    tab.show(page(command))
    tab.run(axe + "; 0")
    for width, scheme in LOOKS:
        tab.look(width, scheme)
        assert tab.run(WIDER) <= 0
        tab.run(OPEN)
        tab.run(FRAME)
        assert tab.run(WIDER) <= 0
        assert tab.run(BARRIERS) == [], (width, scheme)


@pytest.mark.parametrize("command", PAGES)
def test_everything_is_read_without_a_script_and_on_paper(command: str, page: Callable[[str], Path], tab: Any) -> None:
    tab.show(page(command), scripts=False)
    tab.look(760, "light", "print")
    closed = """[...document.querySelectorAll('details:not([open]) > :not(summary)')]
        .filter(one => one.getBoundingClientRect().height === 0).length"""
    assert tab.run("document.querySelectorAll('details[open]').length") == 0
    assert tab.run(closed) == 0
    assert tab.run("document.getElementById('filters')?.checkVisibility() ?? false") is False


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


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no-script"])
def test_a_link_to_a_finding_opens_it(scripts: bool, page: Callable[[str], Path], tab: Any) -> None:
    file = page("check")
    anchor = file.read_text("utf-8").rpartition('<p id="')[2].partition('"')[0]
    tab.show(file.with_name("page.html"), scripts=scripts)
    tab("Page.navigate", url=f"{file.as_uri()}#{anchor}")
    assert tab.run(f"document.getElementById('{anchor}').closest('details').open") is True


def test_filters_leave_what_was_chosen(page: Callable[[str], Path], tab: Any) -> None:
    tab.show(page("check"))
    tab.run("""(() => { const one = document.querySelector('[data-filter=severity]'); one.value = 'error';
        one.dispatchEvent(new Event('change', {bubbles: true})); })()""")
    shown = tab.run("[...document.querySelectorAll('.finding')].filter(one => one.checkVisibility()).length")
    assert 0 < shown < tab.run("document.querySelectorAll('.finding').length")
    assert tab.run("document.getElementById('shown').textContent").startswith(f"{shown} of ")
