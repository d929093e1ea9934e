"""Test that each documented shape of a key is masked anywhere in a text, and that a shorter text is not."""

from __future__ import annotations

import json
import re
import string
from itertools import product

import pytest
from planted_keys import SHAPED

from isogloss.validator import secrets
from isogloss.validator.secrets import SHAPES, mask, mask_unescaped

WORD = "Zq8LmN4xR7vT2wY6pK1sB3dF5gH9jK0LcV7bN2mQ8"
SHORTEST = {
    "sk-": WORD[:16],
    "gsk_": WORD[:20],
    "xai-": WORD[:20],
    "pplx-": WORD[:20],
    "csk-": WORD[:20],
    "fw_": WORD[:20],
    "hf_": WORD[:20],
    "r8_": WORD[:30],
    "tgp_v1_": "a-_" + WORD[:17],
    "nvapi-": "a-_" + WORD[:17],
    "AIza": "a-_" + WORD[:27],
    "ya29.": "a-_." + WORD[:16],
    "ABSK": "a+/" + WORD[:37],
    "bedrock-api-key-": "a+/" + WORD[:37],
    **dict.fromkeys(("fpk_", "vck_", "vcp_", "vci_", "vca_", "vcr_", "flp_", "rpa_", "jina_"), WORD[:20]),
    **dict.fromkeys(("cfk_", "cfut_", "cfat_"), WORD[:40]),
    **dict.fromkeys(("VENICE-INFERENCE-KEY-", "VENICE-ADMIN-KEY-"), "a-_" + WORD[:17]),
    "AQ.": "a-_" + WORD[:27],
    "cpk_": "a." + WORD[:38],
    "wandb_v1_": "a_" + WORD[:18],
    "lsv2_": "pt_" + WORD[:20],
    "tvly-": "dev-" + WORD[:16],
    "ghp_": WORD[:30],
    "github_pat_": "a_b" + WORD[:27],
    "gho_": WORD[:30],
    "ghu_": WORD[:30],
    "ghs_": WORD[:30],
    "ghr_": WORD[:30],
    "glpat-": "a-_" + WORD[:17],
    **dict.fromkeys(("xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-", "xapp-"), "a-" + WORD[:8]),
    "xoxe.": "a-." + WORD[:7],
    "eyJ": "hbGciOiJIU.eyJzdWIiOiJxO.Zq8LmN4xR7",
    "Bearer ": "a.b_c~d+e/f-" + WORD[:4],
    "bearer ": "a.b_c~d+e/f-" + WORD[:4],
}
"""For each prefix, the rest of the shortest key that begins with it."""


def masked_key(prefix: str) -> bytes:
    return prefix.encode() + b"*" * len(SHORTEST[prefix])


def test_shortest_key_is_listed_for_every_shape_of_one_word() -> None:
    one_word = {shape.prefix for shape in SHAPES if re.fullmatch(r"\[[^]]*\]\{[0-9]+,\}(=\{0,2\})?", shape.rest)}
    assert one_word <= SHORTEST.keys() <= {shape.prefix for shape in SHAPES}


def test_shortest_key_is_masked_after_its_prefix_and_nothing_around_it() -> None:
    for prefix, rest in SHORTEST.items():
        key = (prefix + rest).encode()
        assert mask(b'{"a": "' + key + b'", "b": 1}') == b'{"a": "' + masked_key(prefix) + b'", "b": 1}'
        assert mask(key) == masked_key(prefix)


def test_text_one_character_shorter_than_a_key_is_not_masked() -> None:
    for prefix, rest in SHORTEST.items():
        text = (prefix + rest[:-1]).encode()
        assert mask(text) == text


@pytest.mark.parametrize("behind", ["", ".json", "/a.json", "~", "=", "-1", "_b", "+c"])
def test_what_is_masked_already_stays_as_it_is(behind: str) -> None:
    for prefix, rest in SHORTEST.items():
        masked = mask((prefix + rest + behind).encode())
        assert mask(masked) == masked


@pytest.mark.parametrize("between", ["", "*", "**", "=", "=*", "==", "-", " ", "\\n", "%20"])
def test_what_two_keys_beside_each_other_become_stays_as_it_is(between: str) -> None:
    keys = [*(prefix + rest for prefix, rest in SHORTEST.items()), *SHAPED]
    for first, second in product(keys, [*keys, WORD[:1], WORD[:10]]):
        masked = mask((first + between + second).encode())
        assert mask(masked) == masked


def test_what_stands_behind_asterisks_in_a_key_is_masked_with_it() -> None:
    for key in ("sk-" + WORD[:16], "Bearer " + WORD[:16], "Basic dXNlcjpacThMbU40", "AKIA" + WORD[:16].upper()):
        assert mask(f"{key}****{WORD[-4:]} b".encode()).endswith(b"*" * 24 + b" b")


def test_the_rest_of_a_key_that_was_masked_in_part_is_masked() -> None:
    for prefix, rest in SHORTEST.items():
        assert mask(masked_key(prefix) + rest[-1:].encode() + b" b") == masked_key(prefix) + b"* b"


def test_prefix_inside_a_word_begins_no_key() -> None:
    for prefix, rest in SHORTEST.items():
        assert (prefix + rest).encode() in mask(f"a{prefix}{rest}".encode())


def test_a_key_across_the_boundary_of_two_windows_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_WINDOW", 64)
    for prefix, rest in SHORTEST.items():
        key = (prefix + rest).encode()
        for before in range(130):
            masked = mask(b"." * before + key + b" " * 70)
            assert masked == b"." * before + masked_key(prefix) + b" " * 70, f"{prefix} begins at byte {before}"


@pytest.mark.parametrize("escape", [b"%20", b"%3D", b"\\n", b"\\u000a"])
def test_key_behind_an_escape_is_masked(escape: bytes) -> None:
    assert mask(b"a" + escape + b"hf_" + SHORTEST["hf_"].encode()) == b"a" + escape + masked_key("hf_")


def test_key_between_an_id_of_aws_and_its_secret_is_masked_too() -> None:
    secret = f"{WORD[:38]}/+"
    text = f"id: AKIA{WORD[:16].upper()} token: hf_{SHORTEST['hf_']} secret: {secret}".encode()
    assert mask(text) == b"id: AKIA" + b"*" * 16 + b" token: " + masked_key("hf_") + b" secret: " + b"*" * 40


def test_key_that_begins_inside_another_one_is_masked_to_its_own_end() -> None:
    text = f"sk-{WORD[:16]}-ya29.{WORD[:20]}".encode()
    assert mask(text) == b"sk-" + b"*" * 21 + b"." + b"*" * 20


def test_key_of_azure_is_masked_on_both_sides_of_its_middle_and_keeps_two_characters() -> None:
    before, after = (WORD * 2)[:52], WORD[:20]
    assert (
        mask(f"key: {before}JQQJ99{after}.".encode())
        == b"key: " + before[:2].encode() + b"*" * 50 + b"JQQJ99" + b"*" * 20 + b"."
    )
    for shorter in (f" {before[1:]}JQQJ99{after}", f" {before}JQQJ99{after[1:]}", f" {before}a{before}JQQJ99{after}"):
        assert mask(shorter.encode()) == shorter.encode()


UPPER, SECRET = (WORD * 2).upper(), f"{WORD[:38]}/+"
PHRASES = {
    "dapi": ("dapi", "0f1e2d3c4b5a69788796a5b4c3d2e1f0", ""),
    "AKIA": ("AKIA", UPPER[:16], ""),
    "ASIA": ("ASIA", UPPER[:16], ""),
    "ecret_access_key": ("aws_secret_access_key=", SECRET, ""),
    "ECRET_ACCESS_KEY": ("AWS_SECRET_ACCESS_KEY=", SECRET, ""),
    "ecretAccessKey": ('"secretAccessKey": "', SECRET, '"'),
    "JQQJ99": (f"{WORD[:2]}{'*' * 50}JQQJ99", WORD[:20], ""),
    "Basic ": ("Basic ", "YWJjOmRl", ""),
    "basic ": ("basic ", "YWJjOmRl", ""),
    "://": ("https://me:", "w", "@h/x"),
    r":\/\/": (r"https:\/\/me:", "w", r"@h\/x"),
    "ookie": ("Cookie: sid=", WORD[:6], ""),
    "-----BEGIN ": ("-----BEGIN EC PRIVATE KEY-----", "M", "-----END EC PRIVATE KEY-----"),
}
"""For each other prefix, what stands before its shortest secret, the secret, and what stands behind it."""


def test_the_shortest_secret_of_every_other_shape_is_masked_and_a_shorter_one_is_not() -> None:
    assert {shape.prefix for shape in SHAPES} == SHORTEST.keys() | PHRASES.keys()
    for before, secret, behind in PHRASES.values():
        text = f"{before}{secret}{behind}\n".encode()
        assert mask(text) == f"{before}{'*' * len(secret)}{behind}\n".encode()
        shorter = f"{before}{secret[1:]}{behind}\n".encode()
        assert mask(shorter) == shorter


def test_credentials_of_eight_characters_behind_basic_are_masked() -> None:
    assert mask(b"Authorization: Basic YWJjOmRl\r\n") == b"Authorization: Basic ********\r\n"
    assert mask(b"Basic training") == b"Basic training"


def test_base64_that_was_masked_in_part_is_masked_to_its_end() -> None:
    assert mask(b"Basic " + b"*" * 12 + b"cGFzc3dvcmQ=, a") == b"Basic " + b"*" * 24 + b", a"


def test_keys_of_several_kinds_are_masked_in_one_text() -> None:
    text = " ".join(prefix + rest for prefix, rest in SHORTEST.items()).encode()
    unmasked = re.sub(rb"\*+", b"", mask(text))
    assert unmasked.split() == "".join(f"{prefix} " for prefix in SHORTEST).encode().split()


def test_a_key_with_any_of_its_characters_escaped_is_masked_in_the_decoded_value() -> None:
    for character in string.ascii_letters + string.digits + "_-.":
        key = f"Bearer {character}{WORD[:20]}"
        escaped = key.replace(character + WORD[:20], f"\\u{ord(character):04x}{WORD[:20]}")
        text = f'[{{"a": ["my {escaped}", {{"{escaped}": 1}}]}}]'
        assert json.loads(text) == [{"a": [f"my {key}", {key: 1}]}]
        masked = f"Bearer {'*' * 21}"
        assert mask_unescaped(text.encode(), json.loads(text)) == [{"a": [f"my {masked}", {masked: 1}]}]


@pytest.mark.parametrize("short", [8, 40], ids=["shorter than the head", "longer than the head"])
@pytest.mark.parametrize("escape", [r"\u002d", r"\/"])
def test_escape_is_found_anywhere_in_a_text(escape: str, short: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_SHORT", short)
    monkeypatch.setattr(secrets, "_HEAD", 16)
    monkeypatch.setattr(secrets, "_WINDOW", 64)
    for size in (7, 8, 9, 300):
        assert not secrets.escapes_ascii(b"u" * size)
    for before in range(300):
        for after in (0, 70):
            assert secrets.escapes_ascii(b"u" * before + escape.encode() + b"u" * after), f"{before}, {after}"


@pytest.mark.parametrize("slashes", ["//", "/", "\\", "\\\\"])
def test_the_password_of_a_url_that_became_a_path_is_masked(slashes: str) -> None:
    assert secrets.mask_text(f"no file https:{slashes}me:word@h/x") == f"no file https:{slashes}me:****@h/x"
