"""Decide which columns of a table hold the parts of an exchange: those that the user names, a preset, or a guess.

A product has a preset only if its own documentation or source names its columns:

==============  ======================================================================================================
preset          source
==============  ======================================================================================================
``databricks``  inference tables of serving endpoints, with AI Gateway or the older ones, have ``request`` and
                ``response`` ("raw JSON body") and ``status_code``; a body that exceeds a limit is null there:
                https://docs.databricks.com/aws/en/ai-gateway/inference-tables-serving-endpoints and
                https://docs.databricks.com/aws/en/machine-learning/model-serving/inference-tables, read 2026-11.
                The tables of the newer Unity AI Gateway have other columns, and no preset
``litellm``     the table ``LiteLLM_SpendLogs``: ``proxy_server_request``, ``response``, ``api_base``; they have
                contents if ``store_prompts_in_spend_logs`` is set: schema.prisma and
                litellm/proxy/spend_tracking/spend_tracking_utils.py of BerriAI/litellm, read 2026-11
==============  ======================================================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from isogloss.validator.captures.mapping import PARTS
from isogloss.validator.captures.mapping import Mapping as Columns
from isogloss.validator.suggesting import unknown

__all__ = ["BODIES", "PRESETS", "Preset", "columns_of", "guess_columns", "parts_with_columns"]

BODIES = ("request", "response", "stream")


class Preset(Struct, frozen=True):
    """The columns of a product's table that hold parts of exchanges, and those by which the table is recognised."""

    columns: Columns
    tells: tuple[str, ...]


PRESETS = {
    "databricks": Preset(
        Columns(request="request", response="response", status="status_code"), ("databricks_request_id", "status_code")
    ),
    "litellm": Preset(
        Columns(request="proxy_server_request", response="response", host="api_base", as_sent=False), ("call_type",)
    ),
}
"""The presets by their names."""

_USUAL_NAMES = {
    "request": ("request", "request_body", "request_json", "request_payload"),
    "response": ("response", "response_body", "response_json", "response_payload"),
    "stream": ("sse", "stream", "response_stream", "response_sse"),
    "status": ("status", "status_code", "response_status", "http_status"),
    "content_type": ("content_type", "response_content_type"),
    "host": ("host", "request_host"),
    "path": ("path", "request_path", "url", "request_url"),
}
"""Names that columns often have. Of the names for a part, the first that is present is used."""


def columns_of(given: str | Columns | Mapping[str, str | bool]) -> Columns:
    """Return the columns that are given by the name of a preset, or by a table of parts and their columns.

    Names of parts may have ``-`` for ``_``: ``as_sent`` may be spelled ``as-sent``. Raises ``ValueError`` for an
    unknown preset or part, and if no column has a body.
    """
    if isinstance(given, Columns):
        return given
    if isinstance(given, str):
        if given not in PRESETS:
            raise ValueError(unknown("preset of columns", given, PRESETS))
        return PRESETS[given].columns
    named = {name.replace("-", "_"): value for name, value in given.items()}
    for name in named:
        if name not in Columns._fields:
            raise ValueError(unknown("part of an exchange", name, PARTS))
    if not any(named.get(name) for name in BODIES):
        raise ValueError(f"no body is named: say which column holds one of {', '.join(BODIES)}")
    return Columns(**named)  # type: ignore[arg-type]


def guess_columns(names: Collection[str]) -> Columns | None:
    """Guess from the names of columns which hold the parts of exchanges; return ``None`` if none holds a body."""
    for preset in PRESETS.values():
        bodies = [path for part, path in parts_with_columns(preset.columns) if part in BODIES]
        if all(name in names for name in (*bodies, *preset.tells)):
            return preset.columns
    found = {
        part: next((name for name in usual_names if name in names), "") for part, usual_names in _USUAL_NAMES.items()
    }
    return Columns(**found) if any(found[part] for part in BODIES) else None  # type: ignore[arg-type]


def parts_with_columns(columns: Columns) -> Iterator[tuple[str, str]]:
    """Yield each part of an exchange that has a column, with this column."""
    for part in PARTS:
        if path := getattr(columns, part):
            yield part, path
