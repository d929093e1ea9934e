"""Load the rules. Each rule is a module in the folder of its group, and the docstring of the module is its page.

=============  =====================================================================================
folder         looks at
=============  =====================================================================================
``json``       the text of a payload: whether it is JSON that every parser reads alike
``schema``     one payload against the reference schema of its kind, keyword by keyword
``wire``       HTTP and SSE: status, content type, framing
``stream``     the order of the chunks of one stream
``completion`` one completion, also one folded from a stream
``request``    one request
``pair``       an answer, compared with its request
``twins``      answers to the same request, compared with each other, only for ``isogloss compare``
``dialect``    an exchange, compared with a dialect, if the user selects one
=============  =====================================================================================

Rules that need the same feature may stand in a folder inside that of their group. The folder names the feature in
``NEEDS``, and its modules are not imported before a payload has it.

A module has ``RULE`` and ``check``. In ``json``, ``schema`` and ``dialect`` it has only ``RULE``, because the scanner
(:mod:`isogloss.validator.jsontext`), the schemas and the dialects make the findings. A module in ``stream`` or
``wire`` may have a function ``gaps``, too: where the rule finds something, it yields what of the stream nobody can read
then (:mod:`isogloss.validator.rules.gaps`). The check of a single exchange does not run the rules of ``twins``:
:mod:`isogloss.validator.comparing` runs them on several exchanges at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT, Pointer

__all__ = [
    "ANYTHING", "COMPARED", "EXPECTED", "GROUPS", "RETIRED", "Citation", "Folder", "Hit", "Lack", "Overwritten", "Rule",
    "check_of", "checks", "folders", "gaps_of", "group_of", "is_about_wire", "names", "page", "rule",
]  # fmt: skip

GROUPS = ("json", "schema", "wire", "stream", "completion", "request", "pair", "twins", "dialect")
COMPARED = "twins"
"""The group of the rules that only ``isogloss compare`` applies."""
EXPECTED = "expect"
"""The names of a user's own rules begin with this word and a slash. The word is also the name of their group."""
Lack = Literal["beginning", "finish", "usage", "call", "text", "tokens", "choice", "done"]
"""What can be missing from an answer."""
ANYTHING: tuple[Lack, ...] = get_args(Lack)
"""All that can be missing. An event that cannot be read at all may have held any of it."""
Overwritten = Literal["word", "beginning", "type", "redacted", "recording", "character"]
"""What a recorder may write in the place of a value."""
RETIRED: frozenset[str] = frozenset()
"""Names of rules that no longer exist. No new rule may get such a name."""


class Citation(Struct, frozen=True):
    """Where a fact comes from: a link or a document's name, and the date it was read or published."""

    where: str
    date: str


class Rule(Struct, frozen=True):
    """A rule. The page that explains it is the docstring of its module.

    ``name`` and ``summary`` are not written in the module: the name is that of its file, and the summary is the first
    paragraph of its docstring. :func:`rule` adds them, and to ``needs`` what all rules of the folder need.

    Where it comes from:

    * ``sources``: the documents that state the contract which the rule checks.
    * ``since``: the first isogloss version with the rule.
    * ``catalogue``: the numbers of the rows that it catches in the catalogue of deviations that broke real clients
      (``fixtures/catalogue``).

    When it runs:

    * ``needs``: features, e.g. ``"token limit"``. In an exchange without them the rule can find nothing, so it does not
      run, and rates and coverage do not count the exchange for it.
      :mod:`~isogloss.validator.examining.features` lists all features. A rule that needs none always runs.
    * ``of_options``: it is about requests, and reads only options, which are all properties beside the messages. It
      gets a request without messages, and runs once for all requests with the same options.
    * ``about_wire``: it is about something that only the bytes as they were sent can show. It finds nothing in what a
      client library made of the bytes. If this is not set, it is true for the rules of ``json`` and ``wire``.

    Which other findings follow from its findings:

    * ``replaces``: the rules (or groups of rules) whose findings follow from one of this rule, and say the same less
      precisely.
    * ``reach``: where they are replaced: at the same pointer, at it and inside it, or anywhere in the answer.
    * ``includes``: the rules whose findings have the same cause where a hit says so, or say the same of a property
      beside its own. At the ``other_pointers`` of the hit, on its events or (if the rule has ``lacks``) on any, their
      findings are not reported unless they are on other events, too, and stay evidence of a dialect. An unknown
      property at one of these is included in any hit: it stands in the place of what is missing.
    * ``hides``: what an event may have held beside what can be read of it, where the rule finds something.
    * ``hides_value``: a value is missing there, or has a form that nobody can use. What it may have held depends on the
      pointer (:mod:`~isogloss.validator.examining.gaps`).

    From what its own findings may follow, so that they are not reported:

    * ``lacks``: what of an answer is missing or incomplete: the ``beginning`` of a choice or of a call, the ``finish``
      of a choice, the ``usage``, a ``call``, a ``text``, its ``tokens``, a whole ``choice``, or the ``[DONE]`` of a
      stream (``done``). That may have been in a part of the answer that nobody can read.
    * ``repeats``: a choice has something once more. Two choices may stand under one index.
    * ``overwritten``: a recorder may have put something else in the place of the value
      (:mod:`~isogloss.validator.examining.overwritten`): a ``word``, the ``beginning`` of the value with dots, a
      ``type`` as documentation has it, or ``redacted`` arguments. ``recording`` means that the recorder made the id and
      the time of the answer.

    What it says about dialects if it finds nothing in a stream:

    * ``at_end``: it can find something only where the end of a choice is there. In a stream without it, that the rule
      finds nothing is no evidence against a dialect.
    * ``by_chance``: chance decides in which streams of a dialect it finds something. That the rule finds nothing is
      never evidence against a dialect.
    """

    severity: Severity
    sources: tuple[Citation, ...]
    since: str = "0.1.0"
    name: str = ""
    summary: str = ""
    catalogue: tuple[int, ...] = ()
    replaces: tuple[str, ...] = ()
    reach: Literal["pointer", "inside", "answer"] = "pointer"
    includes: tuple[str, ...] = ()
    lacks: Lack | None = None
    hides: tuple[Lack, ...] = ()
    hides_value: bool = False
    repeats: bool = False
    overwritten: tuple[Overwritten, ...] = ()
    at_end: bool = False
    by_chance: bool = False
    of_options: bool = False
    needs: tuple[str, ...] = ()
    about_wire: bool | None = None


class Hit(Struct, frozen=True, gc=False):
    """A result of a rule, before it is placed in the capture.

    ``pointer`` is relative to the payload. ``value`` is the value at the pointer (:data:`ABSENT` for something missing,
    :data:`~isogloss.validator.pointer.UNREAD` if it is read from the payload when it is needed). ``event`` is the
    number of the stream event concerned. ``events`` are the numbers of all events with this hit, if there can be many:
    it counts once for each of them. ``offset`` is a byte offset into the text of the response, for faults of the wire
    and of the text. ``key`` places the finding at the property's name instead of its value. ``severity`` is set if it
    differs from the rule's. ``other_pointers`` are the other pointers in the same payload that the hit is about.
    ``character`` is the position of what was found in the text at the pointer: of a text that came in pieces, the
    finding stands at the piece that brought this character.
    """

    message: str
    pointer: Pointer = ()
    value: object = ABSENT
    event: int | None = None
    offset: int | None = None
    key: bool = False
    severity: Severity | None = None
    schema: str | None = None
    other_pointers: tuple[Pointer, ...] = ()
    events: Sequence[int] = ()
    character: int | None = None


@cache
def _folders_by_rule() -> dict[str, str]:
    """Return every rule name with the folder of its module, such as ``wire/events``, in the order of :func:`names`."""
    return {name: folder for group in GROUPS for name, folder in sorted(_rules_in(group))}


def _rules_in(folder: str) -> Iterator[tuple[str, str]]:
    """Yield the name of every rule in a folder and in those inside it, with its folder: modules are named so."""
    with os.scandir(os.path.join(__path__[0], folder)) as entries:
        for entry in entries:
            name = entry.name
            if name.startswith("_"):
                continue
            if name.endswith(".py"):
                yield name.removesuffix(".py").replace("_", "-"), folder
            elif entry.is_dir():
                yield from _rules_in(f"{folder}/{name}")


class Folder(Struct, frozen=True):
    """The names of the rules in one folder, and the features that all of them need."""

    path: str
    needs: frozenset[str]
    names: tuple[str, ...]


@cache
def folders(group: str) -> tuple[Folder, ...]:
    """Return the folders of a group: its own, and those inside it."""
    names_by_folder: dict[str, list[str]] = {}
    for name in names(group):
        names_by_folder.setdefault(_folders_by_rule()[name], []).append(name)
    return tuple(Folder(path, frozenset(_needs(path)), tuple(inside)) for path, inside in names_by_folder.items())


def _needs(path: str) -> tuple[str, ...]:
    needs: tuple[str, ...] = () if path in GROUPS else _import(path).NEEDS
    return needs


@cache
def names(group: str | None = None) -> tuple[str, ...]:
    """Return the names of all rules, or of the rules of a group, in the order of :data:`GROUPS` and then by name."""
    return tuple(name for name, folder in _folders_by_rule().items() if group in (None, folder.partition("/")[0]))


def group_of(name: str) -> str:
    """Return the group of a rule. Raises ``KeyError`` for an unknown name."""
    if _is_expectation(name):
        return EXPECTED
    return _folders_by_rule()[name].partition("/")[0]


def _module(name: str) -> ModuleType:
    return _import(f"{_folders_by_rule()[name]}/{name.replace('-', '_')}")


def _import(path: str) -> ModuleType:
    return import_module(f"{__name__}.{path.replace('/', '.')}")


def _is_expectation(name: str) -> bool:
    return name.startswith(f"{EXPECTED}/")


@cache
def rule(name: str) -> Rule:
    """Return the rule with this name. Raises ``KeyError`` for an unknown name.

    Any name that begins with ``expect/`` is accepted as a rule of the user's own.
    """
    summary = " ".join(page(name).partition("\n\n")[0].split())
    if _is_expectation(name):
        return replace(_EXPECTATION, name=name, summary=summary)
    written: Rule = _module(name).RULE
    needs = (*_needs(_folders_by_rule()[name]), *written.needs)
    return replace(written, name=name, summary=summary, needs=needs)


@cache
def is_about_wire(name: str) -> bool:
    """Return whether a rule is about something that only the bytes as they were sent can show.

    Raises ``KeyError`` for an unknown name.
    """
    about_wire = rule(name).about_wire
    return group_of(name) in ("json", "wire") if about_wire is None else about_wire


def page(name: str) -> str:
    """Return the documentation of a rule, in Markdown. Raises ``KeyError`` for an unknown name."""
    return _EXPECTATION_PAGE if _is_expectation(name) else _docstring(_module(name)).strip()


def _docstring(module: ModuleType) -> str:
    """Return the docstring of a module, also if Python left it out, as it does with ``PYTHONOPTIMIZE=2``."""
    if module.__doc__ is not None:
        return module.__doc__
    import ast
    import inspect

    return ast.get_docstring(ast.parse(inspect.getsource(module)), clean=False) or ""


_EXPECTATION = Rule(severity=Severity.ERROR, sources=(Citation("the configuration", "2026-11"),))
_EXPECTATION_PAGE = """A payload breaks an expectation of the project's configuration.

The configuration says under `[[tool.isogloss.expect]]` of this name which schema has to hold, and where.

## Why it matters
The message is that of the configuration: whoever wrote the expectation knows what depends on it.

## What to do
* As a server's author: Send what the expectation describes, or ask the project whether it still needs it.
* As a client's user: Look up the expectation in `isogloss.toml` or `pyproject.toml`, and compare its `schema` with what
  stands at the place of the finding.
"""


Check = Callable[[Any], Iterable[Hit]]


def check_of(name: str) -> Check:
    """Return the check function of a rule. Raises ``KeyError`` for an unknown name."""
    check: Check = _module(name).check
    return check


def gaps_of(name: str) -> Callable[[Any], Iterable[Any]]:
    """Return the function ``gaps`` of a rule, or one that yields nothing if it has none.

    Raises ``KeyError`` for an unknown name.
    """
    found: Callable[[Any], Iterable[Any]] = getattr(None if _is_expectation(name) else _module(name), "gaps", _no_gaps)
    return found


def _no_gaps(_: object) -> Iterable[Any]:
    return ()


@cache
def checks(group: str) -> tuple[tuple[str, Check], ...]:
    """Return the names of the rules of a group, each with its check function."""
    return tuple((name, check_of(name)) for name in names(group))
