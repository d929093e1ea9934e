"""Test the names by which dialects are found, and the hosts that belong to them."""

from __future__ import annotations

import pytest

from isogloss import schemas
from isogloss.validator.dialects.model import dialect

NAMES = {
    "azure": "azure-openai",
    "claude": "anthropic",
    "grok": "xai",
    "copilot": "github-copilot",
    "kimi": "moonshot",
    "ark": "volcengine-ark",
    "vertex": "vertex-ai",
    "LiteLLM": "litellm",
    "llama.cpp": "llama-cpp",
    "OpenAI": "openai",
}
HOSTS = {
    "azure-openai": ("team.openai.azure.com", "team.cognitiveservices.azure.com", "team.services.ai.azure.com"),
    "databricks": ("adb-5555555555555555.19.azuredatabricks.net", "team.cloud.databricks.com"),
    "bedrock": ("bedrock-runtime.eu-west-3.amazonaws.com", "bedrock-mantle.us-east-1.api.aws"),
    "openai": ("api.openai.com", "eu.api.openai.com"),
    "stepfun": ("api.stepfun.ai",),
    "minimax": ("api.minimaxi.com",),
    "qwen": ("ws-1.ap-southeast-1.maas.aliyuncs.com", "coding-intl.dashscope.aliyuncs.com"),
    "vertex-ai": ("europe-west4-aiplatform.googleapis.com", "aiplatform.eu.rep.googleapis.com"),
    "moonshot": ("api.kimi.com",),
}


@pytest.mark.parametrize(("name", "slug"), NAMES.items())
def test_a_dialect_is_found_by_its_aliases_in_upper_or_lower_case(name: str, slug: str) -> None:
    assert schemas.slug_of(name) == slug


def test_an_unknown_name_finds_no_dialect() -> None:
    assert schemas.slug_of("no-such-vendor") is None


def test_no_two_dialects_share_a_name() -> None:
    names = [
        name.replace("-", "")
        for slug in schemas.dialects()
        for name in (slug, *schemas.dialect(slug).get("aliases", ()))
    ]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize(("slug", "host"), [(slug, host) for slug, hosts in HOSTS.items() for host in hosts])
def test_a_host_belongs_to_its_dialect_and_to_no_other(slug: str, host: str) -> None:
    assert [dialect_slug for dialect_slug in schemas.dialects() if dialect(dialect_slug).speaks_at(host)] == [slug]


@pytest.mark.parametrize(
    "host",
    [
        "bedrock-runtime.a.b.amazonaws.com",
        "openai.azure.com.example.net",
        "xapi.openai.com",
        "a.b-aiplatform.googleapis.com",
    ],
)
def test_a_host_that_only_looks_similar_belongs_to_no_dialect(host: str) -> None:
    assert not [slug for slug in schemas.dialects() if dialect(slug).speaks_at(host)]
