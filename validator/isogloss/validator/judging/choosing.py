"""Choose the judge for a dialect, rules, expectations and clients that a program names."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from isogloss import schemas
from isogloss.validator import engines, rules
from isogloss.validator.dialects import model as dialects
from isogloss.validator.dialects.explainers import AutoExplainer, Explainer, FixedExplainer
from isogloss.validator.examining.expectations import Expectation, problem_of
from isogloss.validator.impact import matcher_of
from isogloss.validator.judging.judge import Judge
from isogloss.validator.rules.selecting import rules_named
from isogloss.validator.suggesting import unknown

__all__ = ["judge_by"]


def judge_by(
    dialect: str,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    expect: Iterable[Expectation] = (),
    clients: Iterable[str] | None = None,
) -> Judge:
    """Return the judge for a dialect and rules: the same one for the same arguments, so it remembers what it saw.

    Raises ``ValueError`` for an unknown dialect, rule or client, and for an expectation that cannot be checked.
    """
    if not isinstance(dialect, str):
        raise ValueError(f"no dialect is called {dialect!r}; leave it out, or name one")
    expected = () if isinstance(expect, Expectation) else tuple(expect)
    if isinstance(expect, Expectation) or not all(isinstance(one, Expectation) for one in expected):
        raise ValueError("expect has to be a list, and each of its items an Expectation")
    own = tuple(expectation.rule for expectation in expected)
    return _judge(dialect, _names(select, own), _names(ignore, own), expected, _clients(clients))


def _names(names: Iterable[str], own: tuple[str, ...]) -> frozenset[str]:
    return rules_named([names] if isinstance(names, str) else names, own)


@lru_cache(64)
def _judge(
    dialect: str,
    selected: frozenset[str],
    ignored: frozenset[str],
    expected: tuple[Expectation, ...],
    clients: tuple[str, ...] | None,
) -> Judge:
    for expectation in expected:
        if problem := problem_of(expectation):
            raise ValueError(f"the expectation {expectation.name!r}: {problem}")
    own = {expectation.rule for expectation in expected}
    active = ((selected or frozenset(rules.names())) | own) - ignored
    if not active:
        raise ValueError("no rule is left: all that are selected are ignored, too")
    return Judge(
        engines.load(), active=active, explainer=_explainer(dialect), expected=expected, matcher=matcher_of(clients)
    )


def _clients(names: Iterable[str] | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    from isogloss.schemas.client_files import clients

    known = clients()
    wanted = sorted({names} if isinstance(names, str) else set(names))
    for name in wanted:
        if name not in known:
            raise ValueError(unknown("client", name, known, see="isogloss clients list"))
    return tuple(wanted)


def _explainer(dialect: str) -> Explainer | None:
    slug = schemas.slug_of(dialect)
    if slug == "openai":
        return None
    if dialect == "auto":
        return AutoExplainer(dialects.dialects())
    if slug is None:
        raise ValueError(unknown("dialect", dialect, ("auto", *schemas.dialect_names()), see="isogloss dialects list"))
    return FixedExplainer(dialects.dialect(slug))
