"""Test whose name answers get: a table of what servers, services, gateways and mocks were seen to send."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from dialect_examples import (
    EXAMINER,
    GEMINI_ID,
    GROQ,
    HEX,
    KNOWN,
    MOCK,
    OPENAI,
    REAL_EXPLAINER,
    UUID,
    attribution,
    completion,
    examined,
)
from reading import exchange_in

FIXTURES = Path(__file__).parents[3] / "fixtures"
CHILDREN_OF_VLLM = sorted(dialect.slug for dialect in KNOWN if "vllm" in dialect.parents)
CALL = {"id": "x", "type": "function", "index": 0, "function": {"name": "f", "arguments": "{}"}}
NO_FILTER = {category: {"filtered": False} for category in ("hate", "self_harm", "sexual", "violence")} | {
    category: {"filtered": False, "detected": False} for category in ("jailbreak", "profanity")
}
"""The results of a content filter that never ran, as go-openai writes them: Azure's have a severity."""


@pytest.mark.parametrize(
    ("properties", "host", "speaks", "tied"),
    [
        # for plain payloads and mocks, the nearest is OpenAI, or no dialect in particular
        (OPENAI, None, "undetermined", ("openai",)),
        (OPENAI, "api.openai.com", "openai", ("openai",)),
        ({"model": "gpt-4o"}, None, "undetermined", ("openai",)),
        ({"model": "gpt-4o"}, "api.groq.com", "undetermined", ("openai", "groq")),
        ({}, None, "undetermined", None),
        # a stub leaves out much for one reason: this names nobody
        ({"id": ..., "object": ..., "created": ..., "model": ..., "usage": ..., "message": {"refusal": ...},
          "choice": {"logprobs": ..., "finish_reason": ..., "index": ...}}, None, "undetermined", None),
        ({"id": "chatcmpl-123", "model": "gpt-4o"}, None, "undetermined", ("openai",)),
        (MOCK, None, "undetermined", ("ollama",)),
        (MOCK | {"choice": {"logprobs": ..., "finish_reason": "eos"}}, None, "undetermined",
         ("litellm", "classic-2023")),
        # one fact that many dialects may show names none of them, whatever the host is
        (MOCK | {"message": {"tool_calls": [CALL], "refusal": ...}}, "llm.api.cloud.yandex.net", "undetermined", None),
        # examples from the documentation that dialects were written from
        (MOCK | {"model": "gpt-3.5-turbo-0613", "system_fingerprint": "fp_44709d6fcb"}, None, "undetermined",
         ("openai",)),
        (MOCK | {"message": {"reasoning_content": "So"}}, None, "undetermined",
         ("reasoning-content", "openvino-model-server")),
        (MOCK | {"id": UUID, "model": "step-3.5-flash"}, None, "undetermined",
         ("stepfun", "localai", "transformers-serve", "envoy-ai-gateway")),
        # answers of vendors
        (GROQ, None, "groq", ("groq",)),
        (GROQ, "api.groq.com", "groq", ("groq",)),
        ({"id": "gen-1760000000-Ab3dEf6hIj9kLm2nOp5q", "model": "openai/gpt-4o", "provider": "OpenAI",
          "choice": {"native_finish_reason": "stop"}}, None, "openrouter", ("openrouter",)),
        ({"id": f"chatcmpl-{UUID.replace('-', '')}", "model": "org/model-7b", "prompt_logprobs": None,
          "kv_transfer_params": None, "choice": {"stop_reason": None, "token_ids": None}}, None, "vllm",
         ("vllm", *CHILDREN_OF_VLLM)),
        # what a gateway adds to the answers of others, in the shape of Azure's, is no answer of Azure
        (OPENAI | {"message": {"refusal": ...},
                   "choice": {"logprobs": ..., "content_filter_results": NO_FILTER}}, None, "undetermined",
         ("go-openai", "openai", "novita")),
        ({"id": UUID, "system_fingerprint": "fp_8802369eaa_prod0623_fp8_kvcache",
          "message": {"tool_calls": [CALL | {"id": f"call_0_{UUID}"}], "content": ..., "refusal": ...},
          "choice": {"logprobs": ..., "finish_reason": "tool_calls", "content_filter_results": NO_FILTER},
          "more_usage": {"prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 1},
                         "completion_tokens_details": None}}, None, "undetermined", None),
    ],
)  # fmt: skip
def test_dialect_is_named_if_it_is_sure_and_is_only_the_nearest_otherwise(
    properties: dict[str, Any], host: str | None, speaks: str, tied: tuple[str, ...] | None
) -> None:
    result = attribution(REAL_EXPLAINER, examined(completion(**copy.deepcopy(properties)), host))
    assert (result.speaks, result.sure) == (speaks, speaks != "undetermined")
    assert tied is None or result.tied == tied


ARK_REQUEST = "02176000000000000000000000000000000000000000000000000"


@pytest.mark.parametrize(
    ("error", "host", "speaks"),
    [
        # the words of a speaker's own errors name it
        ({"message": "litellm.RateLimitError: no", "type": "None", "param": "None", "code": "429"}, None, "litellm"),
        ({"message": "No", "type": "None", "param": "None", "code": "400"}, None, "litellm"),
        ({"message": "Resource not found", "code": "404"}, "example.openai.azure.com", "azure-openai"),
        ({"message": f"No. Request id: {ARK_REQUEST}", "type": "NotFound", "param": "", "code": "A.NotFound"},
         "ark.cn-beijing.volces.com", "volcengine-ark"),
        ({"message": "Bad gateway.", "type": "cf_bad_gateway", "param": None, "code": 502}, "api.openai.com", "openai"),
        # another error of the same speaker does not contradict its host
        ({"message": "The deployment does not exist.", "code": "DeploymentNotFound"}, "example.openai.azure.com",
         "azure-openai"),
        # what other servers write, too, names nobody
        ({"message": "No", "type": "invalid_request_error", "param": None, "code": "invalid_request_error"}, None,
         "undetermined"),
        ({"message": "No", "param": "", "code": "404"}, None, "undetermined"),
    ],
)  # fmt: skip
def test_error_names_its_speaker_by_its_own_words(error: dict[str, Any], host: str | None, speaks: str) -> None:
    assert attribution(REAL_EXPLAINER, examined({"error": error}, host)).speaks == speaks


@pytest.mark.parametrize(("http_code", "speaks"), [(..., "undetermined"), ("400", "minimax")])
def test_error_in_the_envelope_of_another_api_names_its_speaker_by_more_than_that(http_code: Any, speaks: str) -> None:
    error = {"type": "bad_request_error", "message": "No"} | ({} if http_code is ... else {"http_code": http_code})
    answer = {"type": "error", "error": error, "request_id": HEX}
    assert attribution(REAL_EXPLAINER, examined(answer, "api.minimaxi.com", status=400)).speaks == "minimax"
    assert attribution(REAL_EXPLAINER, examined(answer, status=400)).speaks == speaks


@pytest.mark.parametrize("type_", ["OpenAIBackendError", "AWSBedrockBackendError"])
def test_error_that_a_gateway_wraps_names_the_gateway_by_its_own_words(type_: str) -> None:
    error = {"type": type_, "code": "503", "message": "upstream connect error"}
    assert (
        attribution(REAL_EXPLAINER, examined({"type": "error", "error": error}, status=503)).speaks
        == "envoy-ai-gateway"
    )
    assert attribution(REAL_EXPLAINER, examined({"error": error}, status=503)).speaks == "undetermined"


def chunks(*deltas: dict[str, Any], last: dict[str, Any] | None = None, **properties: Any) -> list[dict[str, Any]]:
    """Return the chunks of a stream with these deltas; `last` are more properties of the last one."""
    stream = [
        {"id": f"chatcmpl-{UUID}", "object": "chat.completion.chunk", "created": 1781000000, "model": "m"}
        | properties
        | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    if last is not None:
        stream[-1]["choices"][0]["finish_reason"] = "stop"
        stream[-1] |= last
    return stream


def chunks_of_structs(**properties: Any) -> list[dict[str, Any]]:
    """Return a stream with an empty string for each value that a chunk does not have, and the usage so far."""
    return [
        {"id": UUID, "object": "chat.completion.chunk", "created": 1781000000, "usage": USAGE}
        | properties
        | {"choices": [{"index": 0, "delta": {"role": "", "content": text, "reasoning": ""}, "finish_reason": finish}]}
        for text, finish in (("Hi", ""), (" you", ""), ("", "stop"))
    ]


USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
LLAMA_CPP = {"id": "chatcmpl-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXyZ4", "model": "tiny.gguf"}
EXTRA_FIELDS = {"request_type": "chat_completion", "latency": 1327, "chunk_index": 0}
LM_STUDIO_ID = "chatcmpl-fake1njt60psmkjkeabst"
FILTERED = {name: {"filtered": False, "severity": "safe"} for name in ("hate", "self_harm", "sexual", "violence")}


@pytest.mark.parametrize(
    ("answer", "host", "speaks"),
    [
        # strangers, by the shapes that servers build: no role, the whole text and the usage in the chunk that ends
        (chunks({"content": "Hi"}, last={"usage": USAGE}, id=f"chatcmpl-{HEX}"), None, "undetermined"),
        # typed classes without a filter: nulls in every delta, and usage in every chunk
        (chunks({"role": "assistant", "content": ""}, {"role": None, "content": "Hi"}, last={}, usage=USAGE), None,
         "undetermined"),
        # structs without a filter: empty strings, and usage in every chunk; only StepFun documents them (2026-11)
        (chunks_of_structs(model="m"), None, "undetermined"),
        (chunks_of_structs(model="step-3.5-flash"), None, "stepfun"),
        # ModelScope (2026): a first chunk without values, not even a list of choices
        ([{"id": "", "object": "", "created": 0, "model": "org/model", "system_fingerprint": "", "choices": None,
           "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}},
          *chunks_of_structs(model="org/model", system_fingerprint="")], None, "undetermined"),
        # an adapter that keeps Anthropic's stop reason and makes no id
        (completion(id=..., choice={"finish_reason": "end_turn"}), None, "undetermined"),
        # llama-box 0.0.171, a fork of llama.cpp, with its measures in the usage
        (completion(id=LLAMA_CPP["id"], model="qwen3", message={"reasoning_content": "So", "refusal": ...},
                    choice={"logprobs": ...}, more_usage={"draft_tokens": 0, "tokens_per_second": 77.4}), None,
         "llama-box"),
        # GPUStack, which runs it (2026-01): sorted properties, and nothing but a null in place of the usage
        (chunks({"content": "Okay"}, {"content": ","}, id=LLAMA_CPP["id"], model="qwen3", usage=None), None,
         "undetermined"),
        # Foundry Local (2026): properties of a .NET class, and the message beside its delta
        ([{"model": "qwen", "CreatedAt": "2026-06-01", "IsDelta": False, "Successful": True, "HttpStatusCode": 0,
           "object": "chat.completion.chunk",
           "choices": [{"index": 0, "delta": {"role": "assistant", "content": "OK", "tool_calls": []},
                        "message": {"role": "assistant", "content": "OK", "tool_calls": []}}]}], None,
         "foundry-local"),
        # NanoGPT (2026): what the answer cost
        (completion(x_nanogpt_pricing={"amount": 0.0000011}, message={"refusal": ...}, choice={"logprobs": ...}), None,
         "undetermined"),
        # a server in Go, whose values that nobody set are empty
        (chunks({"role": "assistant", "content": ""}, {"role": "", "content": "Hi"}, id="", system_fingerprint="",
                usage={"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}), None, "undetermined"),
        # Jina's DeepSearch (https://jina.ai/deepsearch, 2025)
        (chunks({"role": "assistant", "content": "x", "type": "think"}, {"content": "x", "type": "text"},
                id="1742181758589", system_fingerprint="fp_1742181758589",
                last={"usage": USAGE, "visitedURLs": [], "readURLs": []}), None, "undetermined"),
        # Mercury of Inception (2025-04): nothing that only it does
        (completion(id=UUID, model="mercury-coder-small", message={"tool_calls": [], "refusal": ...},
                    choice={"logprobs": ...}), None, "undetermined"),
        # CLIProxyAPI (2026), which translates Gemini's answers and keeps their ids
        (chunks(*[{"role": "assistant", "content": "Hi", "reasoning_content": None, "tool_calls": None}] * 2, last={},
                id=GEMINI_ID, model="gemini-2.5-flash", usage=USAGE), None, "undetermined"),
        (chunks({"role": "assistant", "content": "Hi"}, {}, last={}, id=GEMINI_ID, model="gemini-2.5-flash"), None,
         "undetermined"),
        # Apple's fm serve (macOS 27): all of OpenAI's properties, in another order
        (completion(id="chatcmpl-E4C3BD2F", model="system", choice={"logprobs": ...},
                    more_usage={"completion_tokens_details": {"reasoning_tokens": 0}}), None, "undetermined"),
        # FastFlowLM (2026-07): its measures in the usage
        (chunks({"role": "assistant", "content": "Hi"}, {"content": None}, id=f"chatcmpl-{HEX[:24]}",
                last={"usage": USAGE | {"load_duration": 11.6, "decoding_speed_tps": 10.3}}), None, "fastflowlm"),
        # llama.cpp, built without git
        (completion(**LLAMA_CPP, system_fingerprint="b0-unknown", timings={"prompt_n": 9, "predicted_n": 4},
                    message={"refusal": ...}, choice={"logprobs": ...}), None, "llama-cpp"),
        # Kimi K2.5 at Azure (2026-02): the shape of the server behind it is nothing against Azure at its host
        (completion(id=HEX, model="Kimi-K2.5",
                    prompt_filter_results=[{"prompt_index": 0, "content_filter_results": FILTERED}],
                    message={"reasoning_content": "So", "refusal": ..., "tool_calls": None},
                    choice={"content_filter_results": FILTERED, "stop_reason": None},
                    more_usage={"audio_prompt_tokens": 0, "reasoning_tokens": 0, "prompt_tokens_details": None}),
         "example.services.ai.azure.com", "azure-openai"),
        # OpenCode Zen, which translates answers of the Responses API: its form of ids is also made by others
        (completion(id=f"chatcmpl_{HEX[:12]}", message={"refusal": ...}, choice={"logprobs": ...}), None,
         "undetermined"),
        (completion(id="chatcmpl_h3qzfake0w", model=..., usage=..., message={"refusal": ..., "content": ...},
                    choice={"logprobs": ..., "finish_reason": None}), "opencode.ai", "opencode-zen"),
        # a short answer of Grok: forms of ids and of the model, and what every answer of xAI has
        (completion(id=UUID, model="grok-3", system_fingerprint="fp_0123456789", message={"refusal": None},
                    choice={"logprobs": ...}, more_usage={"num_sources_used": 0}), None, "xai"),
        # Seed 2.0 at BytePlus ModelArk, from its documentation
        (completion(id="021760000000000" + HEX + HEX[:6], model="seed-2-0-lite-260228", service_tier="default",
                    message={"refusal": ...}), None, "volcengine-ark"),
        # Bifrost, which relays OpenAI (2026-02) and DashScope (2026-09); other properties with that name are nobody's
        (completion(extra_fields=EXTRA_FIELDS | {"provider": "openai"}, message={"refusal": ...},
                    choice={"logprobs": ...}), None, "bifrost"),
        ([{"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {"content": "", "reasoning": "So"}}], "model": "m",
           "created": 1790000000, "object": "chat.completion.chunk", "system_fingerprint": "", "usage": None,
           "extra_fields": EXTRA_FIELDS | {"routing_info": {"provider": "dashscope"}}}], None, "bifrost"),
        (completion(extra_fields={"request_id": "1"}, message={"refusal": ...}, choice={"logprobs": ...}), None,
         "undetermined"),
        # CodeBuddy (2026), whose deltas have such a property, too, and an empty refusal as completions of MAX do
        (chunks(*[{"content": "Hi", "extra_fields": None, "function_call": None, "reasoning_content": "", "refusal": "",
                   "role": "assistant", "tool_calls": []}] * 2, last={}, id=HEX, usage=None), None, "undetermined"),
        # LM Studio 0.3 (2025), and servers that share its form of ids, its empty values, or the name of its property
        (completion(id=LM_STUDIO_ID, system_fingerprint="m", stats={}, message={"refusal": ...}), None, "lm-studio"),
        (completion(id=f"chatcmpl-{HEX[:20]}", message={"reasoning_content": "", "tool_calls": [], "refusal": ...}),
         None, "undetermined"),
        (completion(id=LM_STUDIO_ID, stats={"tokens": 3}, message={"refusal": ...}), None, "undetermined"),
        # Langchain-Chatchat, whose ids have the form of Xinference's
        ([{"id": f"chat{UUID}", "object": "chat.completion.chunk", "model": "qwen2-instruct", "created": 1760000000,
           "status": None, "message_type": 1, "message_id": None, "is_ref": False,
           "choices": [{"delta": {"content": "Hi", "tool_calls": []}, "role": "assistant"}]}], None, "undetermined"),
        # MLX behind a proxy that leaves the id empty: the fingerprint begins as those of TGI do
        (completion(id="", system_fingerprint="0.31.3-macOS-26.5.1-applegpu_g16g", message={"refusal": ...},
                    choice={"finish_reason": "eos_token"}), None, "undetermined"),
        # whoever runs Qwen, with an id of a common form and a property without a value
        (completion(id=f"chatcmpl-{UUID}", model="qwen2.5-7b-instruct", system_fingerprint=None,
                    message={"refusal": ...}), None, "undetermined"),
    ],
)  # fmt: skip
def test_answer_names_its_speaker_by_more_than_faults_that_anybody_makes(
    answer: Any, host: str | None, speaks: str
) -> None:
    assert attribution(REAL_EXPLAINER, examined(answer, host)).speaks == speaks


@pytest.mark.parametrize(
    "answer",
    [
        "bifrost/completion.json", "bifrost/stream.json", "dynamo/completion-details.json",
        "fireworks/completion-2026.json", "gemini/stream-call.sse", "gemini/stream-thoughts.sse",
        "lm-studio/completion.json", "lm-studio/completion-2026.json", "minimax/stream-m3.sse",
        "moonshot/stream-coding.sse", "tgi/completion-eos.json", "tgi/completion-text.json",
        "together/stream-call.sse", "xai/stream-2026.sse",
    ],
)  # fmt: skip
def test_answer_in_the_shape_of_recordings_names_its_speaker(answer: str) -> None:
    path = FIXTURES / "dialects" / answer
    assert REAL_EXPLAINER.explain(EXAMINER.examine(exchange_in(path))).speaks == path.parent.name
