"""Say what it means that a server refuses a request, and what to try."""

from __future__ import annotations

from isogloss.cli.probe.target import Target
from isogloss.cli.probe.waiting import NOT_READY

__all__ = ["why_all_are_refused", "why_no_api", "why_simplest_is_refused"]


def why_all_are_refused(target: Target, status: int) -> str | None:
    """Return why this server refuses every request with this status. Return ``None`` if it may answer another one."""
    match status:
        case 401 | 403:
            has_key = target.headers != target.without_key()
            missing = ("no key was sent", _KEY if target.has_usual_key else _KEY_OF_SEVERAL)
            reason, advice = ("the key is refused", "") if has_key else missing
        case 402:
            reason, advice = "the account cannot pay for it", ""
        case 404 | 410:
            reason, advice = "there is no such endpoint or model", target.advice
        case 405:  # such as a server of pages
            reason, advice = "the address takes no POST requests", target.advice
        case 429:
            reason, advice = "the server takes no more requests", ""
        case _:
            return None
    return f"{reason} (status {status}){advice}"


def why_simplest_is_refused(target: Target, status: int) -> str:
    """Return what it means that the simplest request is refused. It says nothing about what that request asks for."""
    if status >= 500:
        advice = "; if it is just starting, --wait waits for it" if status in NOT_READY else ""
        return f"the server fails (status {status}){advice}"
    return why_all_are_refused(target, status) or f"the simplest request is refused (status {status})"


def why_no_api(target: Target, body: str) -> str | None:
    """Return what it means that a page of markup is the answer to the simplest request, or ``None`` if it is none."""
    return f"a page came in place of an answer{target.advice}" if body.lstrip().startswith("<") else None


_KEY = ": set OPENAI_API_KEY, or see --api-key-env"
_KEY_OF_SEVERAL = ": see --api-key-env, since OPENAI_API_KEY is not sent to several servers"
