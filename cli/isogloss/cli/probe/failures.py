"""Say why no answer came, or what it means that the server refuses a request, in one line without secrets."""

from __future__ import annotations

import re
import socket
import ssl
from typing import TypeVar

from isogloss.cli.probe.connecting import NOT_READY, uses_proxy
from isogloss.cli.probe.target import Target
from isogloss.validator.http_faults import REDIRECTS, http_fault
from isogloss.validator.quoting import printable
from isogloss.validator.secrets import mask

__all__ = [
    "Redirected", "cause_of", "framing_fault", "hint_on_silence", "message_of", "why_all_are_refused",
    "why_no_api", "why_no_http", "why_not_followed", "why_simplest_is_refused", "why_unreachable",
]  # fmt: skip

_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"})
"""What OpenSSL (1.1 to 3.4) calls the failure if the other side answers, but not with TLS."""
_NO_CERTIFICATE = "TLSV13_ALERT_CERTIFICATE_REQUIRED"
"""What OpenSSL calls the failure if the server wants a certificate of the client."""
_UNKNOWN_AUTHORITY = frozenset({2, 18, 19, 20, 21})
"""The codes of OpenSSL (``X509_V_ERR_…``) for certificates that no known authority has signed."""
_WANTS_TLS = re.compile(r"to (?:an )?HTTPS (?:port|server)|SSL-enabled server port|requires TLS", re.IGNORECASE)
"""What nginx, Go, Apache and Tomcat say in the answer to a request without TLS, where they want TLS."""
_LONGEST_MESSAGE = 200
_OF_LIBRARIES = r"^\[Errno \d+\] |^\[SSL[^\]]*\] | \(_ssl\.c:\d+\)$"
"""Parts of a message that only say where in a library it comes from."""
_KEY = ": set OPENAI_API_KEY, or see --api-key-env"
_KEY_OF_SEVERAL = ": see --api-key-env, since OPENAI_API_KEY is not sent to several servers"
_Failure = TypeVar("_Failure", bound=BaseException)


class Redirected(Exception):
    """The server redirects the request."""

    def __init__(self, status: int, location: str | None) -> None:
        super().__init__(status, location)
        self.status = status
        self.location = location


def cause_of(error: BaseException | None, kind: type[_Failure]) -> _Failure | None:
    """Return the error, or the first of its causes, that is a failure of this kind; ``None`` if there is none."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error


def why_not_followed(target: Target, error: Redirected) -> str:
    """Return why an answer with a status from 300 to 399 is not checked: no redirect is followed."""
    if error.status not in REDIRECTS:
        return f"answered with status {error.status}, which is neither an answer nor an error"
    if error.location is None:
        return f"answered with status {error.status}, which redirects, and without a Location"
    hint = "; if that is the server, give its URL" if "://" in error.location else ""
    return f"redirected ({error.status}) to {_safe_line(target, error.location)}, which is not followed{hint}"


def why_unreachable(target: Target, error: Exception) -> str:
    """Return why no connection to a server can be used, and what to try."""
    failure = cause_of(error, ssl.SSLError)
    if isinstance(failure, ssl.SSLCertVerificationError):
        reason = f"the certificate is not trusted: {printable(failure.verify_message).rstrip('.')}"
        is_unknown = failure.verify_code in _UNKNOWN_AUTHORITY
        return reason + ("; SSL_CERT_FILE can name a file with the right authority" if is_unknown else "")
    if failure is not None and failure.reason in _NO_TLS:
        return "cannot connect: the server answers without TLS here; try the URL with http://"
    if failure is not None and failure.reason == _NO_CERTIFICATE:
        return "cannot connect: the server wants a certificate of its client, and isogloss has none to send"
    if isinstance(failure, ssl.SSLEOFError | ssl.SSLZeroReturnError):  # the second one in the first releases of 3.11
        return "cannot connect: the server closes the connection instead of TLS; if it has none, try http://"
    where = "cannot connect" + (" to the proxy that the environment names" if uses_proxy(target) else "")
    if cause_of(error, ConnectionRefusedError) is not None:
        return f"{where}: connection refused: no server listens there"
    if cause_of(error, socket.gaierror) is not None and not uses_proxy(target):
        return f"{where}: no address is known of the host {_safe_line(target, target.host)}"
    return f"{where}: {message_of(target, failure or error)}"


def why_no_http(target: Target, error: Exception) -> str:
    """Return why what came is no answer of HTTP/1.1, with the line that is wrong if it is known."""
    fault = http_fault(error)
    return fault.words + (f": {_safe_line(target, fault.line)}" if fault.line is not None else "")


def hint_on_silence(target: Target) -> str:
    """Return what to try if a server closes each connection and sends nothing, as some do that want TLS."""
    return "; if the server wants TLS, try https://" if target.url.scheme == "http" else ""


def framing_fault(target: Target, error: Exception) -> str | None:
    """Return what is wrong with an answer that cannot be read to its end, or ``None`` if the connection broke."""
    return None if http_fault(error).is_break else why_no_http(target, error)


def message_of(target: Target, error: BaseException) -> str:
    """Return the message of a failure, or of its cause, since many failures have none, as one line without secrets.

    If no cause has one, return that the server reset the connection, or the name of the failure's type.
    """
    cause: BaseException | None = error
    while cause is not None:
        if message := re.sub(_OF_LIBRARIES, "", str(cause).strip().rstrip(".")):
            return _safe_line(target, message)
        cause = cause.__cause__ or cause.__context__
    return "reset by the server" if type(error).__name__ in ("ReadError", "WriteError") else type(error).__name__


def _safe_line(target: Target, text: str) -> str:
    """Return a message from a server or a library as one short line without secrets."""
    return printable(mask(target.mask(text.encode("utf-8", "replace"))).decode("utf-8", "replace"))[:_LONGEST_MESSAGE]


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


def why_no_api(target: Target, status: int, body: str) -> str | None:
    """Return why the answer to the simplest request shows that no API is at this URL, or ``None`` if one may be there.

    The answer may be a page of markup, or say that the server wants TLS.
    """
    if status == 400 and target.url.scheme == "http" and _WANTS_TLS.search(body):
        return "the server wants TLS here; try the URL with https://"
    return f"a page came in place of an answer{target.advice}" if body.lstrip().startswith("<") else None
