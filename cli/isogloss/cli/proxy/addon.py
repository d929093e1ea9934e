"""The script that mitmproxy loads: it registers the options of the addon, and passes each flow that ends to a judge."""

from __future__ import annotations

from collections.abc import Sequence

import click
from mitmproxy import ctx, exceptions, http
from mitmproxy.addonmanager import Loader

from isogloss.cli.proxy.judging import ProxyJudge
from isogloss.cli.proxy.streaming import Bodies
from isogloss.validator.captures.limits import TooLarge

__all__ = ["Isogloss", "addons"]


class Isogloss:
    """Judges every Chat Completions flow as it ends, and reports on all of them when mitmproxy ends."""

    def __init__(self) -> None:
        self._judge: ProxyJudge | None = None
        self._bodies = Bodies()

    def load(self, loader: Loader) -> None:
        """Add the options."""
        loader.add_option("isogloss_config", str, "", "The configuration of isogloss.")
        loader.add_option("isogloss_dialect", str, "", "Whose deviations are notes: the slug of a dialect, or auto.")
        loader.add_option("isogloss_output", Sequence[str], [], "Write the report to this file, too: FORMAT:FILE.")

    def configure(self, updated: set[str]) -> None:
        """Take the options into account; what was judged before stays in the report."""
        if self._judge is not None and not any(name.startswith("isogloss_") for name in updated):
            return
        options = ctx.options
        try:
            self._judge = ProxyJudge(
                options.isogloss_config, options.isogloss_dialect, options.isogloss_output, before=self._judge
            )
        except click.ClickException as error:
            raise exceptions.OptionsError(error.message) from error

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Pass a stream on as it comes, and keep what passes: mitmproxy would hold it back until it is over."""
        self._bodies.watch(flow)

    def response(self, flow: http.HTTPFlow) -> None:
        """Judge a flow that is complete. If it has an error, too, as a killed one may, ``error`` follows."""
        if flow.error is None:
            self._judge_flow(flow)

    def error(self, flow: http.HTTPFlow) -> None:
        """Judge a flow that broke off, as far as it went."""
        self._judge_flow(flow)

    def done(self) -> None:
        """Write the report."""
        if self._judge is not None:
            self._judge.report()

    def _judge_flow(self, flow: http.HTTPFlow) -> None:
        try:
            body = self._bodies.take(flow)
        except TooLarge as error:
            if self._judge is not None:
                self._judge.skip(flow, str(error))
            return
        if self._judge is not None:
            self._judge.judge(flow, body)


addons = [Isogloss()]
"""The name that mitmproxy looks for in a script."""
