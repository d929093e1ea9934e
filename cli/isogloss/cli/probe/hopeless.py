"""Say why a server will refuse every request, by the status of its first answer."""

from __future__ import annotations

from isogloss.cli.probe.target import Target

__all__ = ["why_hopeless"]


def why_hopeless(target: Target, status: int) -> str | None:
    """Return the reason, and what to try, or ``None`` if another request may be answered."""
    if status in (401, 403):
        has_key = target.headers != target.without_key()
        return "the key is refused" if has_key else "no key was sent: set OPENAI_API_KEY, or see --api-key-env"
    if status == 404:
        return "there is no such endpoint or model" + (
            "" if "/v1/" in target.path() else "; base URLs often end with /v1"
        )
    return "the server takes no more requests" if status == 429 else None
