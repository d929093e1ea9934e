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
    "ai21": ("api.ai21.com",),
    "anthropic": ("api.anthropic.com",),
    "azure-ai-inference": ("models.github.ai", "models.inference.ai.azure.com", "phi.eastus2.models.ai.azure.com"),
    "azure-openai": ("team.openai.azure.com", "team.cognitiveservices.azure.com", "team.services.ai.azure.com",
                     "eastus.api.cognitive.microsoft.com"),
    "baseten": ("inference.baseten.co", "bridge.baseten.co"),
    "bedrock": ("bedrock-runtime.eu-west-3.amazonaws.com", "bedrock-mantle.us-east-1.api.aws"),
    "cerebras": ("api.cerebras.ai",),
    "chutes": ("llm.chutes.ai",),
    "cline": ("api.cline.bot",),
    "cloudflare": ("api.cloudflare.com",),
    "crusoe": ("api.inference.crusoecloud.com",),
    "databricks": ("adb-5555555555555555.19.azuredatabricks.net", "team.cloud.databricks.com",
                   "5555555555555555.5.gcp.databricks.com", "adb-5555555555555555.5.databricks.azure.cn"),
    "deepinfra": ("api.deepinfra.com",),
    "deepseek": ("api.deepseek.com",),
    "digitalocean": ("inference.do-ai.run",),
    "doubleword": ("api.doubleword.ai",),
    "fireworks": ("api.fireworks.ai",),
    "friendli": ("api.friendli.ai",),
    "gemini": ("generativelanguage.googleapis.com",),
    "gigachat": ("gigachat.devices.sberbank.ru", "api.giga.chat"),
    "github-copilot": ("api.githubcopilot.com", "api.business.githubcopilot.com"),
    "groq": ("api.groq.com",),
    "heroku": ("us.inference.heroku.com", "eu.inference.heroku.com"),
    "huggingface": ("router.huggingface.co",),
    "hunyuan": ("api.hunyuan.cloud.tencent.com",),
    "minimax": ("api.minimax.io", "api.minimaxi.com", "api.minimax.cn"),
    "mistral": ("api.mistral.ai", "api.eu.mistral.ai", "api.us.mistral.ai"),
    "moonshot": ("api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"),
    "nebius": ("api.studio.nebius.ai", "api.studio.nebius.com", "api.tokenfactory.nebius.com",
               "api.tokenfactory.us-central1.nebius.com"),
    "novita": ("api.novita.ai",),
    "ollama": ("ollama.com",),
    "openai": ("api.openai.com", "eu.api.openai.com"),
    "opencode-zen": ("opencode.ai",),
    "openrouter": ("openrouter.ai", "eu.openrouter.ai", "us.openrouter.ai"),
    "perplexity": ("api.perplexity.ai",),
    "pollinations": ("text.pollinations.ai", "gen.pollinations.ai"),
    "portkey": ("api.portkey.ai",),
    "qianfan": ("qianfan.baidubce.com",),
    "qwen": ("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com",
             "ws-1.ap-southeast-1.maas.aliyuncs.com", "coding-intl.dashscope.aliyuncs.com"),
    "sambanova": ("api.sambanova.ai",),
    "scaleway": ("api.scaleway.ai", "5555.ifr.fr-par.scaleway.com"),
    "siliconflow": ("api.siliconflow.cn", "api.siliconflow.com"),
    "snowflake": ("team.snowflakecomputing.com",),
    "spark": ("spark-api-open.xf-yun.com",),
    "stepfun": ("api.stepfun.com", "api.stepfun.ai"),
    "together": ("api.together.xyz", "api.together.ai"),
    "upstage": ("api.upstage.ai",),
    "venice": ("api.venice.ai",),
    "vercel": ("ai-gateway.vercel.sh",),
    "vertex-ai": ("europe-west4-aiplatform.googleapis.com", "aiplatform.eu.rep.googleapis.com",
                  "aiplatform.googleapis.com"),
    "volcengine-ark": ("ark.cn-beijing.volces.com", "ark.ap-southeast.bytepluses.com", "ark.eu-west.bytepluses.com"),
    "watsonx": ("us-south.ml.cloud.ibm.com",),
    "writer": ("api.writer.com",),
    "xai": ("api.x.ai", "us-east-1.api.x.ai"),
    "yi": ("api.lingyiwanwu.com",),
    "zhipu": ("open.bigmodel.cn", "api.z.ai"),
}  # fmt: skip
"""For each of its hosts, or of its forms of hosts, one that a dialect is spoken at."""


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


@pytest.mark.parametrize("slug", HOSTS)
def test_a_host_belongs_to_its_dialect_and_to_no_other(slug: str) -> None:
    for host in HOSTS[slug]:
        assert [one for one in schemas.dialects() if dialect(one).speaks_at(host)] == [slug], host


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


WITHOUT_HOST = {"azure-own-data"}
"""A service at the hosts of its parent."""
AT_A_HOST = {"ollama"}
"""A server that its maker runs, too."""
RELAYING_VENDORS, LONE_GATEWAYS = {"azure-openai", "venice"}, {"cline", "heroku", "one-api"}
"""Vendors that also relay answers of others, and gateways that are not known to relay any unchanged."""


def test_a_vendor_has_a_host_and_a_server_has_none() -> None:
    known = [dialect(slug) for slug in schemas.dialects()]
    without_host = {one.slug for one in known if one.kind == "vendor" and not one.hosts}
    at_a_host = {one.slug for one in known if one.kind == "server" and one.hosts}
    assert (without_host, at_a_host) == (WITHOUT_HOST, AT_A_HOST)


def test_a_gateway_relays_other_dialects_and_nothing_else_does() -> None:
    known = [dialect(slug) for slug in schemas.dialects()]
    relaying = {one.slug for one in known if one.relays and one.kind != "gateway"}
    alone = {one.slug for one in known if not one.relays and one.kind == "gateway"}
    assert (relaying, alone) == (RELAYING_VENDORS, LONE_GATEWAYS)
