"""Run the cases on the paths of a client."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import environments
from adapter_process import AdapterFailed, AdapterProcess
from case_building import Case
from judging_replies import make_reply
from outcomes import Outcome, agrees, judge_outcome
from registry import Client
from replay_server import ReplayServer, Reply

__all__ = ["CLOSING_TEXT", "Results", "job_of", "run_client"]

Results = dict[str, dict[str, Outcome | bool | None]]
"""For each path and case: ``None`` if nothing differs, an outcome, or ``False`` if the twin gave a different result."""

TIMEOUT = 10
"""Seconds that one job may take."""
SECOND_TIMEOUT = 30
"""Seconds for the second try of a job that took too long. A busy machine must not look like a client that hangs."""
_MISSING_PACKAGE = "No module named"
"""Part of the message if a client needs a package that is not in its lock."""
CLOSING_TEXT = "It is done."
"""The text with which the model answers after the tools were run."""

_ENVELOPE = {
    "id": "chatcmpl-Fake0000000000000000000000071",
    "object": "chat.completion",
    "created": 1760000701,
    "model": "gpt-4.1-mini-2025-04-14",
    "service_tier": "default",
    "system_fingerprint": "fp_0123456789",
}
_USAGE = {"prompt_tokens": 30, "completion_tokens": 4, "total_tokens": 34}


def closing_replies() -> Mapping[bool, Reply]:
    """Return the replies to a request with results of tools: under ``False`` a document, under ``True`` a stream."""
    message = {"role": "assistant", "content": CLOSING_TEXT, "refusal": None, "annotations": []}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    chunk = {**_ENVELOPE, "object": "chat.completion.chunk"}
    deltas = [
        ({"role": "assistant", "content": "", "refusal": None}, None),
        ({"content": CLOSING_TEXT}, None),
        ({}, "stop"),
    ]
    choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish} for delta, finish in deltas]
    chunks = [{**chunk, "choices": [chunk_choice], "usage": None} for chunk_choice in choices]
    return {
        False: make_reply({**_ENVELOPE, "choices": [choice], "usage": _USAGE}),
        True: make_reply([*chunks, {**chunk, "choices": [], "usage": _USAGE}]),
    }


def run_client(
    client: Client, version: str, cases: Iterable[Case], only_path: str | None, server: ReplayServer
) -> Results:
    """Return the results of the cases on each path of a client, or on one path alone.

    A twin that several cases share is run once.
    """
    results: Results = {}
    paths = {name: path for name, path in client.paths.items() if only_path in (None, name)}
    case_list = list(cases)
    with AdapterProcess(environments.adapter_command(client, version)) as adapter:
        for name, path in paths.items():
            results_of_path = results[name] = {}
            twin_results: dict[Any, dict[str, Any] | None] = {}
            for case in case_list:
                if not path.takes(case.mode, bool(case.oracle_of_twin.get("calls"))):
                    continue
                oracle, twin_oracle = case.oracle, case.oracle_of_twin
                if path.runs_tools:
                    oracle, twin_oracle = answer_after_tools(oracle), answer_after_tools(twin_oracle)
                key = (b"".join(case.twin.pieces), case.twin.status, case.twin.content_type)
                if key not in twin_results:
                    twin_results[key] = _replay(
                        adapter, server, case, case.twin, case.oracle_of_twin, name, path.runs_tools
                    )
                twin_result = twin_results[key]
                if twin_result is not None and _MISSING_PACKAGE in twin_result.get("raised", {}).get("message", ""):
                    raise AdapterFailed(str(twin_result["raised"]["message"]))
                if twin_result is None or not agrees(twin_result, twin_oracle):
                    results_of_path[case.name] = False
                    continue
                result = _replay(adapter, server, case, case.reply, case.oracle, name, path.runs_tools)
                sent = answer_after_tools(case.sent) if path.runs_tools and case.sent else case.sent
                results_of_path[case.name] = judge_outcome(result, oracle, sent)
    return results


def answer_after_tools(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer that is expected after its calls were run, and the model then answered with the closing text.

    The calls are sorted, because clients run them at the same time.
    """
    return {**answer, "text": CLOSING_TEXT, "calls": _sort_calls(answer["calls"])} if answer.get("calls") else answer


def _sort_calls(calls: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(calls, key=lambda call: (str(call["name"]), str(call["arguments"])))


def job_of(case: Case, oracle: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return a job as an adapter reads it, without its id and base URL."""
    return {
        "path": path,
        "stream": case.mode == "stream",
        "tools": tools_of(oracle) or None,
        "response_format": None,
        "n": len(oracle.get("choices") or [None]),
        "timeout": TIMEOUT,
    }


def tools_of(oracle: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return declarations of the tools that an answer calls: strict functions with the arguments of its calls."""
    tools: dict[str, dict[str, Any]] = {}
    for choice in oracle.get("choices") or [oracle]:
        for call in choice.get("calls") or ():
            try:
                arguments = json.loads(call["arguments"] or "{}")
            except (ValueError, TypeError):
                arguments = {}
            properties = tools.setdefault(str(call["name"]), {})
            properties.update(
                {name: {"type": _json_type(value)} for name, value in arguments.items()}
                if isinstance(arguments, dict)
                else {}
            )
    return [_declare_tool(name, properties) for name, properties in tools.items()]


def _declare_tool(name: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    function = {"name": name, "description": f"Does what {name} says.", "strict": True, "parameters": parameters}
    return {"type": "function", "function": function}


def _json_type(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "string")


def _replay(
    adapter: AdapterProcess,
    server: ReplayServer,
    case: Case,
    reply: Reply,
    oracle: Mapping[str, Any],
    path: str,
    runs_tools: bool,
) -> dict[str, Any] | None:
    token = "replayed"
    base_url = server.register(token, reply, closing_replies() if runs_tools else None)
    try:
        job = {"id": case.name, "base_url": base_url, **job_of(case, oracle, path)}
        result = adapter.run_job(job) or adapter.run_job({**job, "timeout": SECOND_TIMEOUT})
    finally:
        server.unregister(token)
    if runs_tools and result is not None and "ok" in result:
        result["ok"]["calls"] = _sort_calls(result["ok"]["calls"])
    return result
