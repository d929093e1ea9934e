"""Tests of the commands about dialects, on the fixtures of dialects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Isogloss = Callable[..., Any]
ROOT = Path(__file__).parents[2]
FIXTURES = Path("fixtures/dialects")


def test_check_with_the_dialect_of_a_capture_finds_only_notes_that_the_dialect_explains(isogloss: Isogloss) -> None:
    without_dialect = json.loads(isogloss("check", FIXTURES / "groq", "--format", "json").stdout)
    with_dialect = json.loads(isogloss("check", FIXTURES / "groq", "--dialect", "groq", "--format", "json").stdout)
    assert without_dialect["summary"]["findings"]["error"]
    assert without_dialect["summary"]["unexplained"] == len(without_dialect["findings"])
    assert with_dialect["summary"]["findings"]["error"] == with_dialect["summary"]["findings"]["warning"] == 0
    assert with_dialect["summary"]["unexplained"] == 0
    assert {slug for finding in with_dialect["findings"] for slug in finding["explained_by"]} == {"groq"}
    assert [(dialect["slug"], dialect["unexplained"]) for dialect in with_dialect["dialects"]] == [("groq", 0)]


@pytest.mark.parametrize("options", [(), ("-v",)])
def test_the_findings_that_a_dialect_explains_are_counted_in_text(isogloss: Isogloss, options: tuple[str, ...]) -> None:
    text = isogloss("check", FIXTURES / "groq/completion.json", "--dialect", "groq", *options).stdout
    assert re.search(r"^\d+ findings known in groq", text, re.MULTILINE)
    assert ("; -v lists them" in text) == (not options)


def test_check_auto_attributes_each_exchange(isogloss: Isogloss) -> None:
    result = isogloss(
        "check", FIXTURES / "groq/completion.json", FIXTURES / "deepseek", "--dialect", "auto", "--format", "json"
    )
    report = json.loads(result.stdout)
    dialects = {dialect["slug"]: dialect for dialect in report["dialects"]}
    assert {"groq", "deepseek"} <= dialects.keys() <= {"groq", "deepseek", "undetermined"}
    assert dialects["groq"]["sure"] == dialects["groq"]["exchanges"] > 0
    assert dialects["groq"]["unexplained"] == dialects["deepseek"]["unexplained"] == 0


def test_a_dialect_that_another_one_relays_is_named_by_every_command(isogloss: Isogloss) -> None:
    path = FIXTURES / "huggingface/stream-rare.json"
    assert "known in huggingface relaying together (" in isogloss("check", path, "--dialect", "auto").stdout
    for command in (("check", path, "--dialect", "auto"), ("report", path)):
        [dialect] = json.loads(isogloss(*command, "--format", "json").stdout)["dialects"]
        assert (dialect["slug"], dialect["relaying"]) == ("huggingface", {"together": 1})
    assert "huggingface   together 1 " in isogloss("report", path).stdout


def test_a_plain_openai_payload_is_undetermined_and_nearest_to_openai(isogloss: Isogloss, tmp_path: Path) -> None:
    payload = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
    path = tmp_path / "plain.json"
    path.write_text(json.dumps(payload | {"id": "chatcmpl-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wX", "model": "gpt-4o"}))
    [dialect] = json.loads(isogloss("check", path, "--dialect", "auto", "--format", "json").stdout)["dialects"]
    assert (dialect["slug"], dialect["sure"], dialect["nearest"]) == ("undetermined", 0, {"openai": 1})


def test_nothing_is_explained_if_the_dialect_is_undetermined(isogloss: Isogloss, tmp_path: Path) -> None:
    payload = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
    payload["choices"][0]["finish_reason"] = "eos"
    path = tmp_path / "stranger.json"
    path.write_text(json.dumps(payload | {"id": "x", "model": "m"}))
    result = isogloss("check", path, "--dialect", "auto", "--format", "json")
    assert result.returncode == 1
    assert not any(finding["explained_by"] for finding in json.loads(result.stdout)["findings"])


@pytest.mark.parametrize("command", [("check", "fixtures/conforming", "--dialect"), ("dialects", "show")])
def test_an_unknown_dialect_is_a_usage_error_with_the_nearest_name(
    isogloss: Isogloss, command: tuple[str, ...]
) -> None:
    result = isogloss(*command, "deepsek")
    assert result.returncode == 2
    assert "did you mean 'deepseek'?" in result.stderr


def test_list_names_each_dialect_once_with_its_summary(isogloss: Isogloss) -> None:
    lines = isogloss("dialects", "list").stdout.splitlines()
    assert len(lines) >= 30
    assert all(re.match(r"[a-z0-9-]+ +(vendor|server|gateway|shape|reference) +\S.*\.$", line) for line in lines)


def test_show_prints_facts_with_their_sources(isogloss: Isogloss) -> None:
    page = isogloss("dialects", "show", "groq").stdout
    assert page.startswith("# Groq\n\n`groq` · vendor\n")
    assert re.search(r"^\* completion.* `x_groq`: `\{.*\}`, seen in \d+ of \d+ \(\S+\)", page, re.MULTILINE)
    sources = page.partition("\n## Sources\n")[2]
    cited = re.findall(r"^\* .* \(([a-z0-9/-]+)\)(?: — |$)", page.partition("\n## Sources\n")[0], re.MULTILINE)
    assert cited
    for key in cited:
        assert f"\n* {key}: " in sources


def test_show_prints_the_order_that_a_restriction_is_about_and_the_day_on_which_its_source_was_read(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    source = {"where": "made up", "confidence": "recorded", "date": "2026"}
    restriction = {"at": "messages[].role", "effect": "rejected", "schema": {"pattern": "user$"}}
    own = {
        "slug": "own", "name": "Own", "kind": "vendor", "summary": "Own.",
        "sources": {"unknown": source, "known": source | {"read": "2026-11-29"}},
        "restrictions": [
            restriction | {"source": "known", "scope": "order"},
            restriction | {"source": "unknown", "scope": "turn"},
        ],
    }  # fmt: skip
    (tmp_path / "own.json").write_text(json.dumps(own))
    page = isogloss("dialects", "show", "own", "--dialect-file", tmp_path / "own.json").stdout
    assert '* `messages[].role` in their order: rejected unless `{"pattern":"user$"}` (known)\n' in page
    assert "* `messages[].role` after the last message of the user: rejected unless" in page
    assert "* unknown: made up (2026, recorded)\n" in page
    assert "* known: made up (2026, recorded, read 2026-11-29)\n" in page


def test_diff_prints_the_facts_that_only_one_of_two_dialects_has(isogloss: Isogloss) -> None:
    diff = isogloss("dialects", "diff", "groq", "deepseek").stdout
    assert diff.startswith("# groq and deepseek\n")
    assert re.search(r"^- deviation completion x_groq", diff, re.MULTILINE)
    assert re.search(r"^\+ deviation completion usage.prompt_cache_hit_tokens", diff, re.MULTILINE)
    assert isogloss("dialects", "diff", "groq", "groq").stdout == "groq and groq do nothing differently\n"


def test_a_slug_that_no_dialect_may_have_is_refused_before_anything_is_read(isogloss: Isogloss) -> None:
    result = isogloss("dialects", "infer", "docs/examples/cassette.yaml", "--slug", "X y/../")
    assert result.returncode == 2
    assert "is not lower-case letters and digits, joined by hyphens" in result.stderr


def test_the_expressions_of_a_draft_have_no_escape_that_javascript_refuses(isogloss: Isogloss) -> None:
    draft = isogloss("dialects", "infer", "docs/examples/cassette.yaml", "--slug", "mine").stdout
    assert "^chatcmpl-" in draft
    assert "\\\\-" not in draft


def test_list_prints_json(isogloss: Isogloss) -> None:
    listed = json.loads(isogloss("dialects", "list", "--format", "json").stdout)
    assert [dialect["slug"] for dialect in listed] == [
        line.split()[0] for line in isogloss("dialects", "list").stdout.splitlines()
    ]
    assert {"slug", "name", "kind", "summary", "hosts", "evidence"} == listed[0].keys()


def test_an_inferred_dialect_loads_and_explains_what_it_was_inferred_from(isogloss: Isogloss, tmp_path: Path) -> None:
    draft = tmp_path / "own.json"
    draft.write_text(isogloss("dialects", "infer", FIXTURES / "deepseek", "--slug", "own").stdout)
    assert all(
        "first seen in fixtures/dialects/deepseek/" in fact["note"]
        for fact in json.loads(draft.read_text())["deviations"]
    )
    result = isogloss("check", FIXTURES / "deepseek", "--dialect", "own", "--dialect-file", draft, "--format", "json")
    report = json.loads(result.stdout)
    assert report["findings"]
    assert not [
        finding for finding in report["findings"] if not finding["explained_by"] and finding["kind"] != "request"
    ]


def test_of_several_exchanges_the_lowest_confidence_is_printed(isogloss: Isogloss) -> None:
    lower, higher = (FIXTURES / "gemini" / f"completion{name}.json" for name in ("", "-rare"))

    def confidence(*paths: Path) -> float:
        printed = isogloss("check", *paths, "--dialect", "auto").stdout
        return float(printed.partition("known in gemini (confidence at least ")[2][:4])

    assert confidence(lower) < confidence(higher)
    assert confidence(lower, higher) == confidence(higher, lower) == confidence(lower)


def test_the_findings_of_a_dialect_are_counted_whether_it_explains_them_or_not(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    record = json.dumps(json.loads((FIXTURES / "ai21" / "completion.json").read_bytes()))
    (tmp_path / "two.jsonl").write_text(f"{record}\n{record}\n", "utf-8")
    report = json.loads(isogloss("check", tmp_path, "--dialect", "auto", "--format", "json").stdout)
    [spoken], explained = report["dialects"], [bool(one["explained_by"]) for one in report["findings"]]
    assert (spoken["slug"], spoken["exchanges"]) == ("ai21", 2)
    assert (spoken["explained"], spoken["unexplained"]) == (explained.count(True), explained.count(False))
    assert spoken["unexplained"] > 1


def test_a_broken_dialect_file_is_a_usage_error_at_its_place(isogloss: Isogloss, tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text('{\n  "slug": "own", "name": "Own", "kind": "fleet", "summary": "Own.",\n  "sources": {}\n}\n')
    result = isogloss("check", FIXTURES, "--dialect", "own", "--dialect-file", own)
    assert result.returncode == 2
    assert f"{own}:2:41: no valid dialect: 'fleet' is not one of" in result.stderr
    own.write_text('{"slug": "own",}')
    assert f"{own}:1:" in isogloss("check", FIXTURES, "--dialect", "own", "--dialect-file", own).stderr
    own.write_text(json.dumps({"slug": "own", "summary": json.loads("[" * 70 + "]" * 70)}))
    result = isogloss("check", FIXTURES, "--dialect", "own", "--dialect-file", own)
    assert f"{own}:1:1: nested too deep for a dialect" in result.stderr
    own.write_text('{\n"slug": "own", "slug": "own",\n"name": "Own", "name": "Own"\n}\n')
    assert f"{own}:2:16: " in isogloss("check", FIXTURES, "--dialect", "own", "--dialect-file", own).stderr, "the first"
    source = {"where": "made up", "confidence": "recorded", "date": "2026"}
    dialect = {"slug": "own", "name": "Own", "kind": "vendor", "summary": "Own.", "sources": {"s": source}}
    own.write_text(f'{json.dumps(dialect)[:-1]},\n "inherits": ["vllm", "vlllm"]}}\n')
    result = isogloss("check", FIXTURES, "--dialect", "own", "--dialect-file", own)
    assert f"{own}:2:23: no dialect is called 'vlllm'; did you mean 'vllm'?" in result.stderr


def test_export_with_a_dialect_accepts_what_the_dialect_explains(isogloss: Isogloss, tmp_path: Path) -> None:
    import jsonschema

    assert isogloss("schemas", "export", tmp_path, "--dialect", "groq").returncode == 0
    schema = json.loads((tmp_path / "completion.json").read_text())
    payload = json.loads((FIXTURES / "groq/completion.json").read_text())
    payload = payload.get("response", payload)
    assert jsonschema.Draft202012Validator(schema).is_valid(payload)
    assert isogloss("schemas", "export", tmp_path).returncode == 0
    assert not jsonschema.Draft202012Validator(json.loads((tmp_path / "completion.json").read_text())).is_valid(payload)


def test_portability_lists_dialects_that_accept_a_request_and_what_others_reject(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    request = tmp_path / "request.json"
    request.write_text(
        '{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "logit_bias": {"1": 5}, "n": 1}'
    )
    output = isogloss("portability", request).stdout
    assert "  groq: rejects logit_bias\n" in output
    accepted = re.search(r"^  accepted as it is: (.*)$", output, re.MULTILINE)
    assert accepted
    assert "groq" not in accepted[1].split(", ")
    request.write_text('{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}')
    accepted = re.search(r"^  accepted as it is: (.*)$", isogloss("portability", request).stdout, re.MULTILINE)
    assert accepted
    assert "groq" in accepted[1].split(", ")


def test_portability_lists_properties_that_a_dialect_does_not_define(isogloss: Isogloss, tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    request.write_text('{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "top_k": 4, "temprature": 1}')
    output = isogloss("portability", request).stdout
    assert "  accepted as it is: none\n" in output
    unknown = dict(re.findall(r"^  nothing known about (.*): (.*)$", output, re.MULTILINE))
    assert "vllm" in unknown["temprature"].split(", ")
    assert "deepseek" in unknown["temprature, top_k"].split(", ")
    request.write_text('{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "temperature": "warm"}')
    assert "nothing known about" not in isogloss("portability", request).stdout, "its type is wrong, its name is known"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("[5]", "the body is no JSON object"),
        ('"text"', "its JSON has faults"),
        ('{"model": "m", "messages": [{"role": "user", "content": "Hi"}', "its JSON has faults"),
        ('{"model": "m", "messages": [{"role": "user", "content": NaN}]}', "its JSON has faults"),
    ],
)
def test_portability_says_of_no_dialect_that_it_accepts_what_is_no_request(
    isogloss: Isogloss, tmp_path: Path, body: str, reason: str
) -> None:
    line = {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": "BODY"}
    batch = tmp_path / "batch.jsonl"
    batch.write_text(json.dumps(line).replace('"BODY"', body) + "\n")
    result = isogloss("portability", batch)
    assert result.returncode == 0
    assert reason in result.stdout
    assert "accepted as it is" not in result.stdout


def test_portability_without_a_request_checks_nothing(isogloss: Isogloss) -> None:
    assert isogloss("portability", FIXTURES / "openai/stream.sse").returncode == 3


@pytest.mark.parametrize(
    ("slug", "severity", "words"),
    [
        ("groq", "warning", "Groq does not accept `logit_bias`, by its documentation"),
        ("cerebras", "warning", "Cerebras does not accept `logit_bias`, by what its users report"),
        ("triton", "error", "Triton Inference Server, OpenAI frontend does not accept `logit_bias`"),
        ("ollama", "warning", "Ollama ignores `logit_bias`"),
        ("zhipu", "warning", "Zhipu AI (Z.ai) ignores `logit_bias`, by its documentation"),
    ],
)
def test_check_with_a_dialect_applies_its_restrictions_to_requests(
    isogloss: Isogloss, slug: str, severity: str, words: str
) -> None:
    request = "fixtures/dialect/dialect-restriction/invalid-logit-bias.json"
    result = isogloss("check", request, "--dialect", slug, "--fail-on", severity)
    assert result.returncode == 1
    assert f"{severity}[dialect-restriction] request logit_bias: {words}\n" in result.stdout


@pytest.mark.parametrize(
    "command",
    [
        ("dialects", "list"),
        ("dialects", "show", "mine"),
        ("dialects", "diff", "mine", "groq"),
        ("dialects", "stale", "--older-than", "1d"),
        ("portability", "fixtures/conforming/request/prompt-cache.json"),
        ("repro", "docs/examples/cassette.yaml", "--dialect", "mine", "--format", "markdown"),
        ("schemas", "show", "chunk", "--dialect", "mine"),
        ("compare", "docs/examples/cassette.yaml", "docs/examples/cassette.yaml"),
    ],
)
def test_every_command_knows_the_dialects_of_the_configuration(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    data = json.loads((ROOT / "schemas/isogloss/schemas/dialects/groq.json").read_text("utf-8"))
    data |= {"slug": "mine", "name": "Mine", "aliases": []}
    (tmp_path / "mine.json").write_text(json.dumps(data), "utf-8")
    monkeypatch.chdir(tmp_path)
    arguments = [str(ROOT / word) if "/" in word else word for word in command]
    of_option = isogloss(*arguments, "--dialect-file", "mine.json")
    (tmp_path / "isogloss.toml").write_text('dialect-files = ["mine.json"]\n', "utf-8")
    assert of_option.returncode == 0
    assert isogloss(*arguments) == of_option
