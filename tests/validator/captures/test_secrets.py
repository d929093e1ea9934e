"""Keys that stand in captures stand in nothing that comes out: no exchange, no finding, no reason, no output."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from planted_keys import SHAPED

from isogloss.cli.main import cli
from isogloss.cli.reporters import FORMATS
from isogloss.validator import engines
from isogloss.validator.captures import Capture, read
from isogloss.validator.captures.http import host_and_path
from isogloss.validator.exchange import Exchange
from isogloss.validator.judging.judge import Judge
from isogloss.validator.secrets import mask, mask_text

Writer = Callable[[list[Any]], bytes]

PLACED = {
    "authorization": "Basic dXNlcjpacThMbU40eFI3dlQ=",
    "api-key": "9f8e7d6c5b4a39281706f5e4d3c2b1a0",
    "x-api-key": "1a2b3c4d5e6f708192a3b4c5d6e7f809",
    "cookie": "session=s3cr3tc00kieValueNobodyMaySee",
    "set-cookie": "__cf_bm=an0therC00kieValueNobodyMaySee; path=/",
}
"""Keys that are known by the header they stand in."""

QUERY = {"key": "querykey0123456789abcdef", "api-key": "azurekey0123456789abcdef"}
PASSWORD = "hunter2hunter2"


def _tells(text: str) -> list[str]:
    """Return the parts of secrets that are in a text.

    Of a key with a known form, only the last characters are looked for: its documented prefix alone is no secret.
    """
    tails = [*(one[-12:] for one in SHAPED), *PLACED.values(), *QUERY.values(), PASSWORD, "Zq8LmN4x"]
    return [tail for tail in tails if tail in text]


def _planted(recorded_type: Any, shaped: tuple[str, ...] = SHAPED) -> list[Any]:
    """Return exchanges with the secrets in headers, in URLs, and everywhere in bodies where findings quote values."""
    query = "&".join(f"{name}={value}" for name, value in QUERY.items())
    url = f"https://api.example.com/v1/chat/completions?{query}"
    exchanges = []
    for secret in shaped:
        request = {"model": secret, "messages": [{"role": secret, "content": f"my key: {secret}"}], secret: secret}
        message = {"role": "assistant", "content": f"yours is '{secret}'", "refusal": None, secret: {secret: 1}}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": secret}
        answer = {"id": secret, "object": "chat.completion", "created": secret, "model": secret, "choices": [choice]}
        delta = {"index": 0, "delta": {"content": secret, secret: 1, "role": secret}, "finish_reason": secret}
        chunk = {"id": secret, "object": "chat.completion.chunk", "created": 1, "model": secret, "choices": [delta]}
        one = recorded_type(json.dumps(request), json.dumps(answer), url=url, headers=tuple(PLACED.items()))
        events = f"event: {secret}\n{secret}: x\ndata: {json.dumps(chunk)}\n\n: {secret}\n\ndata: {secret}\n\n"
        error = {"error": {"message": f"Incorrect API key: {secret}", "type": secret, "code": secret, "param": secret}}
        exchanges += [
            one,
            replace(one, response=json.dumps(error), status=401),
            replace(one, response=events, content_type=f"text/event-stream; x={secret}"),
            replace(one, response=json.dumps(answer)[:-1] + f', "{secret}": 1, "{secret}": {secret}}}'),
            replace(one, url=f"https://api.example.com/v1/embeddings/{secret.replace(' ', '%20')}?{query}"),
        ]
    return exchanges


_EACH = 5
"""Every which of the secrets is planted in a format."""


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(engines.load())


@pytest.fixture(scope="module")
def planted(recorded_type: Any) -> list[Any]:
    return _planted(recorded_type)


def _for(name: str, planted: list[Any], keeps_parsed: frozenset[str]) -> list[Any]:
    """Return the exchanges that a writer can write: without broken JSON, if its format keeps bodies parsed."""
    if name in keeps_parsed:
        return [one for one in planted if not one.response.endswith("}") or _is_json(one.response)]
    return planted


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.thorough
def test_nothing_of_a_secret_comes_out_of_any_format(
    any_writer: tuple[str, Writer], recorded_type: Any, keeps_parsed: frozenset[str], judge: Judge
) -> None:
    """Check a few of the secrets in each format, others in the next: the code that masks them knows no format."""
    name, write = any_writer
    first = sum(name.encode()) % _EACH
    data = write(_for(name, _planted(recorded_type, SHAPED[first::_EACH]), keeps_parsed))
    count = 0
    for found in read(Capture(io.BytesIO(data), "capture.md")):
        if not isinstance(found, Exchange):
            assert not _tells(found.reason)
            continue
        assert not _tells(f"{found.host} {found.path}")
        assert not _tells(found.response.content_type or "" if found.response else "")
        assert found.path is None or "?" not in found.path
        for finding in judge.judge(found).findings:
            count += 1
            assert not _tells(repr(finding)), finding
        for part in (found.request, found.response.body if found.response else None):
            assert not _tells(repr(getattr(part, "value", getattr(part, "values", None))))
    assert count > 50 // _EACH


def test_each_secret_is_looked_for_in_several_formats(every_format: list[str]) -> None:
    assert {sum(name.encode()) % _EACH for name in every_format} == set(range(_EACH))


@pytest.mark.thorough
@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize("escaped", [False, True], ids=["written", "escaped"])
def test_nothing_of_a_secret_stands_in_any_output(
    output: str, escaped: bool, planted: list[Any], records_writer: Writer, tmp_path: Path
) -> None:
    data = records_writer([one for one in planted if _is_json(one.response)])
    text = b"".join(
        json.dumps(record).encode() + b"\n" for line in data.splitlines() for record in [_parsed(json.loads(line))]
    ).decode()
    if escaped:  # as no reader of the raw bytes would find them
        for secret in SHAPED:
            text = text.replace(secret, secret[:2] + "".join(f"\\u{ord(one):04x}" for one in secret[2:6]) + secret[6:])
        assert not _tells(text) or "Zq8LmN4x" in text
    path = tmp_path / "records.jsonl"
    path.write_text(text)
    done = CliRunner().invoke(cli, ["check", "--format", output, str(path)])
    assert done.exit_code == 1
    assert not _tells(done.output), done.output[:2000]


def _parsed(record: dict[str, Any]) -> dict[str, Any]:
    return record | {"response": json.loads(record.pop("response_text"))}


@pytest.mark.parametrize("secret", SHAPED)
def test_masking_keeps_the_length_and_the_prefix(secret: str) -> None:
    text = f'{{"a": "{secret}"}}'
    assert len(mask_text(text)) == len(text)
    assert not _tells(mask_text(text))
    assert mask_text(mask_text(text)) == mask_text(text)
    assert mask(text.encode())[7:9] == secret[:2].encode()


BLOCKS = {
    "a header of JSON": ('{"Set-Cookie": ["sid=%s; path=/"]}', "Zq8LmN4xR7vT2wY6"),
    "a header of an archive": ('{"name": "Cookie", "value": "sid=%s; b=c"}', "Zq8LmN4xR7vT2wY6"),
    "a header of YAML": ("Set-Cookie:\n  - sid=%s\n", "Zq8LmN4xR7vT2wY6"),
    "a URL as JSON may write it": (r'"postgres:\/\/user:%s@db\/x"', "Zq8LmN4xR7vT2wY6"),
    "a key as written": ("-----BEGIN RSA PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----", "Zq8LmN4x\nR7vT+w=="),
    "a key in JSON": (r'"-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"', r"Zq8LmN4x\nR7vT\/w=="),
    "names of AWS": ('{"AccessKeyId": "AKIAZQ8LMN4XR7VT2WY6", "SecretAccessKey": "%s"}', "Zq8LmN4x" * 5),
}


@pytest.mark.parametrize(("text", "secret"), BLOCKS.values(), ids=BLOCKS)
def test_what_stands_in_due_form_is_masked_and_all_around_it_stays(text: str, secret: str) -> None:
    written = text % secret
    after = mask_text(written)
    assert len(after) == len(written)
    assert mask_text(after) == after
    assert not [part for part in ("Zq8", "R7v", "wY6", "ZQ8") if part in after]
    assert after.count("\\") == written.count("\\") or "\\/w" in secret
    if written.startswith(("{", '"')):
        json.loads(after)
    assert after.startswith(written[:9])


def test_words_that_only_begin_like_a_secret_stay() -> None:
    for text in (
        "Basic internationalization, basic understanding: it is simple",
        "the cookie: it is good=tasty",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n",
        "https://example.com/a:b@c and mailto:user@example.com",
        "risk-averse-behaviour-everywhere-and-always",
    ):
        assert mask_text(text) == text


@pytest.mark.parametrize("output", FORMATS)
def test_names_of_files_are_masked(output: str, tmp_path: Path) -> None:
    folder = tmp_path / SHAPED[0]
    folder.mkdir()
    (folder / f"{SHAPED[2]}.json").write_text('{"object": "chat.completion", "choices": 1}')
    (folder / f"{SHAPED[6]}.json").write_text("nothing")
    done = CliRunner().invoke(cli, ["check", "--format", output, str(folder)])
    assert done.exit_code == 1
    assert not _tells(done.output), done.output


def test_nothing_of_a_secret_in_a_stream_is_folded(tmp_path: Path) -> None:
    path = tmp_path / "stream.sse"
    for secret in SHAPED:
        for size in (3, 1000):
            pieces = [secret[at : at + size] for at in range(0, len(secret), size)]
            chunks = [
                {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": piece}}]}
                for piece in ["It is ", *pieces, " indeed"]
            ]
            path.write_text("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks))
            done = CliRunner().invoke(cli, ["fold", str(path)])
            assert done.exit_code == 0
            assert not _tells(done.output), done.output


@pytest.mark.parametrize("before", ["\\n", "\\t", "\\\\r", "\\u003d", "=", "'", '\\"', " ", "\n"])
def test_a_key_is_masked_behind_whatever_is_no_part_of_a_word(before: str) -> None:
    assert not _tells(mask_text(f'{{"a": "key{before}{SHAPED[0]}"}}'))
    assert mask_text(f"task{SHAPED[0]}") == f"task{SHAPED[0]}"


def test_what_only_looks_a_little_like_a_key_stays() -> None:
    text = b"task-force-of-many-people and risk-averse-behaviour-everywhere, chatcmpl-8P7s3sDocXsBE8nhq60IMx3WFu4B8"
    assert mask(text) == text


def test_user_names_and_queries_of_a_url_are_dropped() -> None:
    url = f"https://{SHAPED[0]}:{PASSWORD}@Api.Example.com:8443/v1/{SHAPED[0]}/chat/completions?key=x#y"
    host, path = host_and_path(url)
    assert host == "api.example.com"
    assert path == mask_text(f"/v1/{SHAPED[0]}/chat/completions")
    assert host_and_path("http://[::1") == (None, None)


@pytest.mark.thorough
@pytest.mark.parametrize("begins", [b"eyJ-", b"eyJaaaaaaaaaa.eyJ-", b"sk-", b" sk-a", b"Bearer ", b"gsk_-"])
def test_masking_takes_no_more_than_linear_time(begins: bytes) -> None:
    def spent(count: int) -> float:
        text = begins * count
        start = time.process_time()
        mask(text)
        return time.process_time() - start

    assert any(spent(80_000) < 40 * max(spent(8_000), 0.001) for _ in range(3))
