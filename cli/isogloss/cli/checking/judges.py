"""Make the judges of a configuration: one for each set of settings, in the one way that all commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from isogloss.cli.configuration.dialect_choice import explainer_for
from isogloss.cli.configuration.selection import active_rules
from isogloss.cli.configuration.settings import Configuration, Settings
from isogloss.validator.engines import Engine
from isogloss.validator.findings import SEVERITIES, Severity
from isogloss.validator.judging.judge import Judge

if TYPE_CHECKING:
    from isogloss.validator.dialects.explainers import Explainer
    from isogloss.validator.impact.matching import Matcher

__all__ = ["configured_severities", "is_active", "make_judge"]


def make_judge(
    configuration: Configuration,
    settings: Settings,
    engine: Engine,
    *,
    expects: bool = True,
    show_values: bool = False,
    matcher: Matcher | None = None,
    unexplaining: Callable[[], Explainer | None] = lambda: None,
) -> Judge:
    """Return the judge for these settings of a configuration.

    With ``expects``, it also checks the expectations of the configuration. ``unexplaining`` makes the explainer for
    answers that no dialect explains, because the settings name the reference.
    """
    return Judge(
        engine,
        active=_active(configuration, settings),
        expected=configuration.expectations() if expects else (),
        severities=configured_severities(settings),
        explainer=explainer_for(settings.dialect, configuration.dialect_files()) or unexplaining(),
        show_values=show_values,
        matcher=matcher,
    )


def is_active(rule: str, configuration: Configuration, settings: Settings) -> bool:
    """Return whether files with these settings are checked by a rule."""
    active = _active(configuration, settings)
    return active is None or rule in active


def _active(configuration: Configuration, settings: Settings) -> frozenset[str] | None:
    return active_rules(settings.select, settings.ignore, configuration.own_rules, may_be_none=True)


def configured_severities(settings: Settings) -> dict[str, Severity]:
    """Return the severities that the settings give to single rules."""
    strict = {"documented-property-absent": Severity.ERROR} if settings.strict else {}
    return strict | {rule: SEVERITIES[label] for rule, label in settings.severity}
