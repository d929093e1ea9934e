"""Checking files by a configuration: which files, by whose rules, less what a baseline knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from isogloss.cli import inputs
from isogloss.cli.baseline import Baseline, Recorder
from isogloss.cli.configuration import Configuration, Settings
from isogloss.cli.dialect_choice import speaker
from isogloss.cli.selection import active_rules
from isogloss.cli.summary import Known, Run
from isogloss.validator.engines import Engine
from isogloss.validator.exchange import Exchange, Kind, Skipped
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judge import Judge

__all__ = ["SEVERITIES", "Checker"]

SEVERITIES = {severity.label: severity for severity in Severity}


@dataclass(slots=True, kw_only=True)
class Checker:
    """Checks files and exchanges, and gathers what that comes to in ``run``.

    ``each`` is called with the findings of every exchange as they are found. What ``recorder`` takes fails nothing.
    ``show_values`` has findings quote what stands at their places.
    """

    configuration: Configuration
    engine: Engine
    run: Run
    baseline: Baseline | None = None
    recorder: Recorder | None = None
    each: Callable[[list[Finding]], None] | None = None
    show_values: bool = False
    _judges: dict[Settings, Judge] = field(default_factory=dict, init=False)

    def files(self, paths: Iterable[str], *, kind: Kind | None = None, input_format: str | None = None) -> None:
        """Check files and whole directories."""
        for path in self._walk(paths):
            if isinstance(path, Skipped):
                self.run.skipped.append(path)
                continue
            self.run.files += 1
            self.run.checked[path] += 0
            settings = self.configuration.settings(None if path == "-" else path)
            for found in inputs.read(path, kind=kind, input_format=input_format):
                if isinstance(found, Skipped):
                    self.run.skipped.append(found)
                else:
                    self.exchange(found, settings)
        if self.baseline is not None:
            gone = self.baseline.gone(self.run.checked)
            self.run.known = Known(inputs.shown(str(self.baseline.path)), self.baseline.known, gone)

    def exchange(self, exchange: Exchange, settings: Settings | None = None) -> None:
        """Check one exchange, by the settings of no particular file unless some are given."""
        settings = settings or self.configuration.settings(None)
        verdict = self._judge(settings).judge(exchange)
        fail_on = SEVERITIES[settings.fail_on]
        if self.recorder is not None:
            self.recorder.add(one for one in verdict.findings if one.severity >= fail_on)
            verdict.findings = [one for one in verdict.findings if one.severity < fail_on]
        if self.baseline is not None:
            verdict.findings = self.baseline.new(verdict.findings)
        self.run.add(verdict, file=exchange.file, fail_on=fail_on)
        if self.each is not None:
            self.each(verdict.findings)

    def _walk(self, paths: Iterable[str]) -> Iterator[str | Skipped]:
        excludes = self.configuration.excludes
        for path in inputs.walk(path if path == "-" else inputs.shown(path) for path in paths):
            name = path.file if isinstance(path, Skipped) else path
            if name == "-" or not excludes(name):
                yield path

    def _judge(self, settings: Settings) -> Judge:
        judge = self._judges.get(settings)
        if judge is None:
            strict = {"documented-property-absent": Severity.ERROR} if settings.strict else {}
            judge = self._judges[settings] = Judge(
                self.engine,
                active=active_rules(settings.select, settings.ignore),
                severities=strict | {rule: SEVERITIES[label] for rule, label in settings.severity},
                speaker=speaker(settings.dialect, self.configuration.dialect_files()),
                show_values=self.show_values,
            )
        return judge
