"""Test how a probe connects: to hosts, with TLS and certificates, and through proxies."""

from __future__ import annotations

import re
import socket
import ssl
import threading
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest


@pytest.fixture
def authority() -> Any:
    import trustme

    return trustme.CA()


@pytest.fixture
def trust(authority: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function after which clients trust the authority."""
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    return partial(monkeypatch.setenv, "SSL_CERT_FILE", str(tmp_path / "authority.pem"))


def _tls(authority: Any, host: str = "127.0.0.1", **options: Any) -> ssl.SSLContext:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host, **options).configure_cert(tls)
    return tls


@pytest.mark.thorough
def test_a_server_that_does_not_exist_is_reported_at_once(probe: Any) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        result = probe(f"http://127.0.0.1:{bound.getsockname()[1]}/v1")
    reason = "cannot connect: connection refused: no server listens there"
    first, second, *_ = result.output.splitlines()
    assert first.startswith("plain ")
    assert first.endswith(f" s  {reason}")
    assert re.fullmatch(rf"\d\d other cases +inconclusive +not sent: {reason}", second)
    assert result.output.count(reason) == 2
    assert "nothing-checked: 0 exchanges: 0 errors" in result.output
    assert result.exit_code == 3


@pytest.mark.thorough
def test_a_host_without_an_address_is_named_and_so_is_a_proxy_without_one(
    probe: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    said = "cannot connect: no address is known of the host nowhere.invalid"
    output = probe("http://nowhere.invalid/v1", "--case", "plain").output
    assert said in output
    assert "proxy" not in output
    monkeypatch.setenv("HTTP_PROXY", "http://nowhere.invalid:8080")
    output = probe("http://nowhere.invalid/v1", "--case", "plain").output
    assert "cannot connect to the proxy that the environment names" in output


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "the server answers without TLS here"),
        (b"", "the server closes the connection instead of TLS"),
    ],
)
def test_a_url_with_https_of_a_server_without_tls_says_so(probe: Any, answer: bytes, reason: str) -> None:
    def refuse() -> None:
        for _ in range(9):
            try:
                connection, _ = listening.accept()
            except OSError:  # the test is over
                return
            with connection:
                connection.recv(4096)
                connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=refuse, daemon=True)
        thread.start()
        result = probe(f"https://127.0.0.1:{listening.getsockname()[1]}/v1", "--case", "plain")
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(5)
    assert f"cannot connect: {reason}" in result.output
    assert "http://" in result.output
    assert result.exit_code == 3


REFUSES_PLAIN_HTTP = [
    "<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>",
    "Client sent an HTTP request to an HTTPS server.",
    "Reason: You're speaking plain HTTP to an SSL-enabled server port.",
    "Bad Request\r\nThis combination of host and port requires TLS.",
]
"""What nginx, Go, Apache and Tomcat answer to a request without TLS, where they want TLS."""


@pytest.mark.parametrize("text", REFUSES_PLAIN_HTTP)
def test_a_url_with_http_of_a_server_that_wants_tls_says_so_and_nothing_else_is_sent(
    serve: Any, probe: Any, wire: SimpleNamespace, text: str
) -> None:
    refusal = wire.response(400, "text/plain", text.encode())
    server = serve(lambda request: request.respond(refusal))
    assert "not sent: the server wants TLS here; try the URL with https://" in probe(server.url).output
    assert len(server.requests) == 1


def test_https_is_advised_if_a_server_answers_nothing_at_all_and_not_if_it_answers_another_request(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    advice = "headers had come; if the server wants TLS, try https://"
    assert advice in probe(serve(lambda request: request.respond(b"")).url, "--case", "plain,stream").output

    def answer_plain(request: Any) -> None:
        if not request.json().get("stream"):
            wire.answer_correctly(request)

    output = probe(serve(answer_plain).url, "--case", "plain,stream").output
    assert "headers had come" in output
    assert "https://" not in output


def test_a_certificate_of_an_unknown_authority_is_refused_and_nothing_is_sent(
    serve: Any, probe: Any, wire: SimpleNamespace, authority: Any, trust: Callable[[], None]
) -> None:
    server = serve(wire.answer_correctly, _tls(authority))
    refused = probe(server.url, "--case", "plain")
    assert "the certificate is not trusted" in refused.output
    assert "SSL_CERT_FILE can name" in refused.output
    assert server.requests == []
    assert refused.exit_code == 3
    trust()
    assert probe(server.url, "--case", "plain").exit_code == 0


@pytest.mark.parametrize("fault", ["expired", "of another host"])
def test_a_certificate_that_another_authority_would_not_mend_gives_no_such_advice(
    serve: Any, probe: Any, wire: SimpleNamespace, authority: Any, trust: Callable[[], None], fault: str
) -> None:
    year = datetime(2021, 1, 1) if fault == "expired" else None  # trustme takes none with a zone
    tls = _tls(authority, "127.0.0.1" if year else "other.example", not_after=year)
    trust()
    refused = probe(serve(wire.answer_correctly, tls).url, "--case", "plain")
    assert "the certificate is not trusted: " in refused.output
    assert "SSL_CERT_FILE" not in refused.output
    assert refused.exit_code == 3


def test_a_server_that_wants_a_certificate_of_its_client_is_inconclusive(
    serve: Any, probe: Any, wire: SimpleNamespace, authority: Any, trust: Callable[[], None]
) -> None:
    tls = _tls(authority)
    tls.verify_mode = ssl.CERT_REQUIRED
    trust()
    result = probe(serve(wire.answer_correctly, tls).url, "--case", "plain,stream")
    assert re.search("plain +inconclusive .*(wants a certificate of its client|the connection failed)", result.output)
    assert result.exit_code == 3


def test_the_proxy_of_the_environment_is_used_but_not_for_the_loopback_interface(
    serve: Any, probe: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths: list[str] = []

    def handle(request: Any) -> None:
        paths.append(request.path)
        request.path = request.path.removeprefix("http://models.example")
        wire.answer_correctly(request)

    server = serve(handle)
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
    assert probe("http://models.example/v1", "--case", "plain").exit_code == 0
    assert probe(server.url, "--case", "plain").exit_code == 0
    assert paths == ["http://models.example/v1/chat/completions", "/v1/chat/completions"]


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("all_proxy", "socks5://127.0.0.1:9", "a SOCKS proxy, which needs the package socksio"),
        ("http_proxy", "gopher://user:password@proxy.example", "cannot be used: Unknown scheme"),
        ("http_proxy", "::", "the proxy that the environment names cannot be used"),
        ("SSL_CERT_FILE", "/nonexistent/file", "the certificates that SSL_CERT_FILE names cannot be read"),
    ],
)
def test_an_environment_that_cannot_be_used_is_a_usage_error(
    probe: Any, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str
) -> None:
    monkeypatch.setenv(variable, value)
    for more in ((), ("--wait", "1")):
        result = probe("http://models.example/v1", "--case", "plain", *more)
        assert message in result.output
        assert "password" not in result.output
        assert result.exit_code == 2


def test_a_proxy_that_cannot_be_used_does_not_matter_for_the_loopback_interface(
    serve: Any, probe: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:9")
    result = probe(serve(wire.answer_correctly).url, "--case", "plain", "--wait", "1")
    assert "plain  conforms" in result.output


@pytest.mark.thorough
def test_a_proxy_that_does_not_listen_is_named_in_the_reason(probe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{bound.getsockname()[1]}")
        result = probe("http://models.example/v1", "--case", "plain")
    assert "cannot connect to the proxy that the environment names: connection refused" in result.output
    assert result.exit_code == 3
